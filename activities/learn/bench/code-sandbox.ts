import {
  openCodeSandbox,
  type OpenedSandbox,
  type SandboxPlaces,
} from '../../../core/learn/evals/bench/code/open-sandbox.ts'
import { recordSlotProbes } from '../../../db/learn/across/slot-probes.ts'
import type { Database } from '../../../db/kernel/database.ts'

/** The sandbox of this process for code: opened and tried at the first call. A call after one that threw tries again. */
export type OpenSandbox = () => Promise<OpenedSandbox>

/** Dependencies of a worker that opens its sandbox. */
interface SandboxDeps extends SandboxPlaces {
  readonly db: Database
  /** False where the operator runs no code of benchmarks. */
  readonly isOn: boolean
  /** Aborts when the process stops. */
  readonly signal: AbortSignal
  readonly now: () => Date
}

/**
 * Returns the function that opens the sandbox of this process, tries the ways out of it, and records the outcome, which `GET /ready`
 * shows.
 */
export function createCodeSandbox(deps: SandboxDeps): OpenSandbox {
  let opened: Promise<OpenedSandbox> | undefined
  return async () => {
    const opening = (opened ??= open(deps))
    try {
      return await opening
    } catch (error) {
      if (opened === opening) opened = undefined
      throw error
    }
  }
}

async function open({ db, isOn, signal, now, ...places }: SandboxDeps): Promise<OpenedSandbox> {
  const startedAt = performance.now()
  const found: OpenedSandbox = isOn ? await openCodeSandbox(places, signal) : { sandbox: null, trials: [] }
  await recordSlotProbes(db, [
    {
      slot: 'code_sandbox',
      isReady: found.sandbox !== null,
      outcome: outcomeOf(found),
      latencyMs: Math.round(performance.now() - startedAt),
      probedAt: now(),
    },
  ])
  return found
}

/** The sandbox in use, or why each is not: `bubblewrap`, `bubblewrap:not_installed,pyodide:escaped:files`. */
function outcomeOf({ sandbox, trials }: OpenedSandbox): string {
  if (sandbox !== null) return sandbox.name
  if (trials.length === 0) return 'switched_off'
  return trials.map(({ name, outcome, escapes }) => [name, outcome, ...escapes].join(':')).join(',')
}
