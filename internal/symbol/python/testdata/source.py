"""What a program may consist of. Only its tables of lines are of interest."""
import os, sys
def plain(a, b=1):
    c = a + b

    # a comment
    return (c,
            a,
            b)


class Class:
    value = [i
             for i in range(10)]

    def method(self):
        if self.value: return 1
        try:
            os.stat("nowhere")
        except OSError as e:
            print(e)
        finally:
            print(
                "end",
                file=sys.stderr,
            )
        with open(os.devnull) as f:
            f.read()
        return self.method(

        )

    def far(self):



















































































































































        return 1


def generator(n):
    for i in range(n):
        x = yield i
        while x:
            x = yield from generator(x)


async def coroutine(n):
    async with n as m:
        async for i in m:
            await i
    return {k: (v,
                lambda: k) for k, v in m.items()}


def long(a):
    return [
        a.first(1, 2, 3, 4, 5, 6, 7, 8, 9), a.second(1, 2, 3, 4, 5, 6, 7, 8, 9),   a.third(1, 2, 3, 4, 5, 6, 7, 8, 9), a.fourth(1, 2, 3, 4),
        a.fifth(1, 2, 3, 4, 5, 6, 7, 8, 9) + a.sixth(1, 2, 3, 4, 5, 6, 7, 8, 9) +
        a.seventh(a.eighth(a.ninth(a.tenth(a[1:2], **a), *a))),
    ]
