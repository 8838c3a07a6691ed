#!/bin/sh
exec $P
