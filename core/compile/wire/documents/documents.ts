import { z } from 'zod'
import { MODALITIES } from '../../documents/modality.ts'
import { DOCUMENT_ORIGINS } from '../../documents/states.ts'
import { DocumentId } from '../../../kernel/wire/ids.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'

/** A document of a namespace. */
export const DocumentView = z
  .object({
    document_id: DocumentId,
    namespace: z.string(),
    path: z.string(),
    origin: z.enum(DOCUMENT_ORIGINS),
    sha256: z.string(),
    size_bytes: z.int(),
    modality: z.enum(MODALITIES),
    content_extracted: z.boolean().meta({ description: 'False for a file without a text that the service can read' }),
    reason: z.string().nullable().meta({ description: 'Why there is no text, or not all of it' }),
    characters: z.int(),
    chunks: z.int(),
    embedding_model: z.string().nullable().meta({ description: 'Null where its chunks have no vectors' }),
    indexed_at: z.iso.datetime(),
  })
  .meta({ id: 'Document' })

/** Answer of `GET /v1/documents`. */
export const ListDocumentsAnswer = z.object({
  documents: z.array(DocumentView),
  count: z.int(),
  next_cursor: NextCursor,
  namespaces: z
    .array(
      z
        .object({ namespace: z.string(), documents: z.int(), chunks: z.int(), bytes: z.int() })
        .meta({ id: 'DocumentNamespaceTotals' }),
    )
    .meta({ description: 'All namespaces with documents that the key reaches, by name' }),
})

/** Answer of `DELETE /v1/documents/{id}`. */
export const DeleteDocumentAnswer = z.object({ deleted: z.literal(true), document_id: DocumentId })
