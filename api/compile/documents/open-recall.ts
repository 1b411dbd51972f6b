import type { Limits } from '../../../core/compile/limits.ts'
import type { Cores } from '../../../core/kernel/threads/cores.ts'
import { timerMs } from '../../../core/kernel/threads/timers.ts'
import { openEmbedder } from '../../../core/model/embedding/embedder.ts'
import { openRecall, type Recall } from '../../../db/compile/documents/recall/recall.ts'
import type { Database } from '../../../db/kernel/database.ts'

/** Opens what finds parts of documents, with the operator's model of embeddings; `onClose` gets what ends it. */
export function openDocumentRecall(
  input: {
    readonly db: Database
    readonly baseFolders: readonly string[]
    readonly limits: Limits
    readonly cores: Cores
  },
  onClose: (close: () => Promise<void>) => void,
): Recall {
  const { db, baseFolders, limits, cores } = input
  const embedder = openEmbedder({
    folders: baseFolders,
    threads: cores.count,
    idleCloseMs: timerMs(limits.base_idle_s * 1000),
  })
  onClose(() => embedder.close())
  const recall = openRecall({ db, embedder, cores, limits })
  onClose(() => recall.close())
  return recall
}
