"""The rows of `make bench`: each a program that measures both its sides in one run and prints what it saw."""
