import type { Benchmark } from '../../../core/learn/evals/bench/benchmarks.ts'
import {
  listInstalled,
  readInstalled,
  type InstalledPack,
} from '../../../core/learn/evals/bench/packs/installed-packs.ts'
import { questionTexts } from '../../../core/learn/evals/bench/packs/read-pack.ts'
import type { ScoringThreads } from '../../../core/learn/evals/thread/scoring-threads.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import type { ActivityLog } from '../../kernel/activity-log.ts'

/** The questions of one installed pack. */
export interface PackQuestions {
  /** `installed:` and the benchmark. */
  readonly id: string
  readonly texts: readonly string[]
}

/** Returns the questions of all packs that the operator installed. A pack that cannot be read is left out, with a warning. */
export type InstalledQuestions = (signal: AbortSignal) => Promise<readonly PackQuestions[]>

/** Opens the packs of a folder. Each is read once, and again when its file changes. */
export function openInstalledQuestions({
  scoring,
  folder,
  limits,
  log,
}: {
  readonly scoring: Pick<ScoringThreads, 'readPack'>
  readonly folder: string | undefined
  readonly limits: Pick<Limits, 'bench_pack_bytes' | 'bench_pack_inflated_bytes'>
  readonly log: ActivityLog
}): InstalledQuestions {
  const known = new Map<Benchmark, { readonly file: string; readonly questions: readonly PackQuestions[] }>()
  const read = async ({ benchmark }: InstalledPack, signal: AbortSignal): Promise<readonly PackQuestions[]> => {
    const found = await readInstalled(folder, benchmark, limits.bench_pack_bytes)
    if (found === null) return []
    const given = { benchmark, bytes: found.bytes, maxBytes: limits.bench_pack_inflated_bytes }
    const { lines } = await scoring.readPack(given, signal)
    return [{ id: `installed:${benchmark}`, texts: questionTexts(benchmark, lines) }]
  }
  return async (signal) => {
    const packs: PackQuestions[] = []
    for (const pack of await listInstalled(folder)) {
      const file = `${pack.file} ${pack.sizeBytes} ${pack.modifiedMs}`
      const earlier = known.get(pack.benchmark)
      if (earlier?.file === file) {
        packs.push(...earlier.questions)
        continue
      }
      try {
        const questions = await read(pack, signal)
        known.set(pack.benchmark, { file, questions })
        packs.push(...questions)
      } catch (error) {
        if (signal.aborted) throw error
        // It is tried again by the next report: what failed may have passed.
        log.warn({ err: error, file: pack.file }, 'an installed pack of a benchmark cannot be read')
      }
    }
    return packs
  }
}
