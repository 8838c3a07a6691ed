/* The main program for library.c. */
int work(void);

int main(void)
{
    return work();
}
