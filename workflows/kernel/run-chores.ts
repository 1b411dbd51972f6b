import { ApplicationFailure, setCurrentDetails } from '@temporalio/workflow'
import { isErrorCode } from '../../core/errors.ts'
import type { Counts, ListedChore } from '../../activities/kernel/chores/chore.ts'
import { codeOfFailure } from './failures.ts'

/** Results of the chores of a tick, by name. */
export type ChoresReport = Readonly<Record<string, Counts>>

/**
 * Runs chores, at most `most` at once, each in its own activity: one that throws or hangs holds up none of the others.
 * The list comes from an activity, so that a version with other chores replays this run. Fails when all are done and
 * some of them failed.
 */
export async function runChores(
  chores: readonly ListedChore[],
  most: number,
  run: (chore: ListedChore) => Promise<Counts>,
): Promise<ChoresReport> {
  const report: Record<string, Counts> = {}
  const failures: Record<string, string> = {}
  const queue = chores.values()
  const show = (): void => setCurrentDetails(describe(report, failures, chores.length))
  const worker = async (): Promise<void> => {
    for (const chore of queue) {
      try {
        report[chore.name] = await run(chore)
      } catch (error) {
        failures[chore.name] = codeOfFailure(error, isErrorCode)
      }
      show()
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, chores.length) }, worker))
  const failed = Object.keys(failures)
  if (failed.length === 0) return report
  throw ApplicationFailure.create({
    type: 'internal',
    message: `${failed.length} of ${chores.length} chores failed: ${failed.join(', ')}; the next tick tries again`,
    nonRetryable: true,
    details: [report],
  })
}

/** Lists the chores that did something or failed. */
function describe(report: ChoresReport, failures: Readonly<Record<string, string>>, total: number): string {
  const done = Object.entries(report).flatMap(([name, counts]) => {
    const some = Object.entries(counts).filter(([, count]) => count > 0)
    return some.length === 0 ? [] : [`- \`${name}\`: ${some.map(([what, count]) => `${what} ${count}`).join(', ')}`]
  })
  const failed = Object.entries(failures).map(([name, code]) => `- \`${name}\`: **${code}**`)
  const ended = Object.keys(report).length + failed.length
  return [`${ended} of ${total} chores are done`, ...failed, ...done].join('\n')
}
