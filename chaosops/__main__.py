"""`python -m chaosops` is the `chaosops` command."""

from chaosops.cli.main import main

if __name__ == "__main__":
    main()
