/** Resources that keep a process of the tests alive, to be ended after all of them. Mocha itself ends the processes of a parallel run. */
export const atEnd: (() => Promise<void>)[] = []
