"""What a fresh machine needs: packages, Node, a browser, the bundle."""
