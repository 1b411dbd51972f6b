/** Test files that take 10 seconds or more on two cores, and how many. The runner starts them first, the longest ahead. */
export const LONG_FILES: Readonly<Record<string, number>> = {}
