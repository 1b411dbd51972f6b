import { openBubblewrap } from './bubblewrap/bubblewrap.ts'
import { findEscapes, type Escape } from './probes.ts'
import { openPyodide } from './pyodide/pyodide.ts'
import type { CodeSandbox, SandboxName } from './sandbox.ts'

/** The result of the trial of one sandbox. */
export interface SandboxTrial {
  readonly name: SandboxName
  /** `ready`, or why it is not used. */
  readonly outcome: 'ready' | 'not_installed' | 'does_not_start' | 'escaped'
  /** The ways out that were open. */
  readonly escapes: readonly Escape[]
}

/** The sandbox that is used, with the trials that led to it. */
export interface OpenedSandbox {
  /** Null when none passed its probes. */
  readonly sandbox: CodeSandbox | null
  readonly trials: readonly SandboxTrial[]
}

/** Folders of programs and of files that may be kept. */
export interface SandboxPlaces {
  /** Folders of executables, as in `PATH`. */
  readonly searchPath: string
  readonly cacheFolder: string
}

/** Opens the first sandbox that passes its probes: bubblewrap, then Pyodide. */
export async function openCodeSandbox(
  { searchPath, cacheFolder }: SandboxPlaces,
  signal: AbortSignal,
): Promise<OpenedSandbox> {
  const trials: SandboxTrial[] = []
  const candidates = [
    { name: 'bubblewrap' as const, open: async () => await openBubblewrap(searchPath) },
    { name: 'pyodide' as const, open: async () => await openPyodide(cacheFolder) },
  ]
  for (const { name, open } of candidates) {
    try {
      const sandbox = await open()
      if (sandbox === null) {
        trials.push({ name, outcome: 'not_installed', escapes: [] })
        continue
      }
      const escapes = await findEscapes(sandbox, signal)
      trials.push({ name, outcome: escapes.length === 0 ? 'ready' : 'escaped', escapes })
      if (escapes.length === 0) return { sandbox, trials }
    } catch {
      signal.throwIfAborted()
      trials.push({ name, outcome: 'does_not_start', escapes: [] })
    }
  }
  return { sandbox: null, trials }
}
