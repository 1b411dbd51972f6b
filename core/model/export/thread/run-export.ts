import type { ExportFile } from '../export-file.ts'
import type { ExportTask, ExportReport, ExportTasks } from './export-task.ts'
import { Inbox } from '../../../kernel/threads/inbox.ts'
import { runInThread } from '../../../kernel/threads/task-thread.ts'

/** Pieces that may wait between the thread and its reader. */
const CREDITS = 4

/**
 * Writes an export in a separate thread, so that the caller's event loop stays free, and passes the file to `take`
 * while it is written. The thread always ends with the call. Throws the errors of `openBaseModel`, `readAdapter` and
 * `exportModel`, `base_mismatch` for a base with other weights, and the signal's reason.
 */
export async function runExport<T>(
  task: ExportTask,
  signal: AbortSignal,
  take: (file: ExportFile) => Promise<T>,
): Promise<T> {
  const end = new AbortController()
  const reports = new Inbox<ExportReport | { readonly kind: 'end' }>()
  let giveCredits: ((count: number) => void) | undefined
  const writing = runInThread<ExportTasks, 'write'>(
    { file: new URL('./export-thread.ts', import.meta.url), name: 'export', onAbort: 'end' },
    'write',
    task,
    {
      signal: AbortSignal.any([signal, end.signal]),
      onProgress: (report, feed) => {
        giveCredits = feed
        reports.push(report)
      },
    },
  ).then(
    () => reports.push({ kind: 'end' }),
    (error: unknown) => reports.fail(error),
  )
  try {
    const first = await reports.next()
    if (first.kind !== 'begin') throw new Error(`a thread began with ${first.kind}`)
    giveCredits?.(CREDITS)
    return await take({
      fileName: first.fileName,
      mediaType: first.mediaType,
      async *pieces() {
        for (;;) {
          const report = await reports.next()
          if (report.kind !== 'piece') return
          giveCredits?.(1)
          yield report.bytes
        }
      },
    })
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    end.abort()
    await writing
  }
}
