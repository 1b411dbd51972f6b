import type { ErrorCode } from '../../../core/compile/errors.ts'
import { finishIndex } from '../../../db/compile/documents/run-index.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { operationOf, type DocumentDeps, type IndexRef } from './deps.ts'
import { embedDocuments } from './embed-documents.ts'
import { failureText } from './failure-text.ts'
import { readDocuments } from './read-documents.ts'

/** The activities of indexing documents. All are safe to repeat: a file is stored once, and the row ends once. */
export const createDocumentActivities = (deps: DocumentDeps) => ({
  readDocuments: (ref: IndexRef) => readDocuments(deps, ref),
  embedDocuments: (ref: IndexRef) => embedDocuments(deps, ref),
  finishIndex: ({ errorCode, ...ref }: IndexRef & { readonly errorCode: ErrorCode | null }): Promise<void> =>
    runActivity(deps.log, async () => {
      const failure = errorCode === null ? null : { code: errorCode, message: failureText(errorCode) }
      await finishIndex(operationOf(deps, ref), { indexId: ref.indexId, failure })
    }),
})

/** The activities of indexing documents, as their workflow sees them. */
export type DocumentActivities = ReturnType<typeof createDocumentActivities>
