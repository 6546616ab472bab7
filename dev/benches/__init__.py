"""The rows of `make bench`: each is a program that measures both sides in one run and prints the figures."""
