"""Where the files of people are: in a folder, or in an object store."""
