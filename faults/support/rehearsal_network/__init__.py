"""On the Python path of the rehearsal's processes alone."""
