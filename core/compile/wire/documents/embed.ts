import { z } from 'zod'
import { FILE_STATES, INDEX_STATES } from '../../documents/states.ts'
import { NAMESPACE_NAME } from '../../../gateway/record/asked.ts'
import { DocumentIndexId } from '../../../kernel/wire/ids.ts'
import { WorkspacePath } from '../../../kernel/wire/paths.ts'

/** Files of one call. */
export const MOST_FILES = 64

/** The namespace of documents: the same names as those of captures. */
export const DocumentNamespace = z
  .string()
  .regex(NAMESPACE_NAME, { error: 'must be lower-case letters, digits and dashes, at most 63' })
  .meta({ description: 'Namespace of the documents', example: 'support' })

const EmbeddingModelName = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^@\s]+$/, { error: 'must be the name of a model of a provider' })
  .meta({
    description:
      "A provider's model of embeddings, as in `POST /v1/embeddings`. Without it chunks get vectors of the server's own model, where it has one",
    example: 'text-embedding-3-small',
  })

/** The fields of a call that indexes files, without the files. */
export const EmbedFields = z.object({
  namespace: DocumentNamespace,
  embedding_model: EmbeddingModelName.optional(),
  force: z.boolean().default(false).meta({ description: 'True to read unchanged files again' }),
})

/** JSON body of `POST /v1/embed`. */
export const EmbedBody = EmbedFields.extend({
  paths: z
    .array(WorkspacePath)
    .min(1)
    .max(MOST_FILES)
    .meta({
      description: 'Absolute paths of files in your workspace on the server',
      example: ['/srv/svc/ten_0123456789abcdefghjkmnpqrs/notes.txt'],
    }),
})

/** Multipart body of `POST /v1/embed`. */
export const EmbedForm = z.object({
  namespace: DocumentNamespace,
  force: z.enum(['true', 'false']).optional().meta({ description: 'True to read unchanged files again' }),
  embedding_model: EmbeddingModelName.optional(),
  file: z.string().meta({ format: 'binary', description: `A file; up to ${MOST_FILES} parts of this name` }),
})

/** A call that indexes files. */
export const EmbedView = z
  .object({
    index_id: DocumentIndexId,
    namespace: z.string(),
    state: z.enum(INDEX_STATES),
    indexed: z.int().meta({ description: 'Files whose content is now in the namespace' }),
    skipped: z.int().meta({ description: 'Unchanged files, which were not read again' }),
    failed: z.int().meta({ description: 'Files that could not be read; `files` says why' }),
    waiting: z.int(),
    by_modality: z.record(z.string(), z.int()).meta({ description: 'Indexed files by their kind' }),
    files: z
      .array(
        z
          .object({
            path: z.string(),
            state: z.enum(FILE_STATES),
            modality: z.string().nullable(),
            reason: z.string().nullable().meta({ description: 'Why it was skipped, not read, or has no text' }),
          })
          .meta({ id: 'IndexedFile' }),
      )
      .meta({ description: 'In the order of the call' }),
    embedding_model: z
      .string()
      .nullable()
      .meta({ description: 'The model of the vectors, with the digest of its weights; null without vectors' }),
    vectors: z
      .string()
      .nullable()
      .meta({ description: 'Why chunks have no vectors; null when they have, and before it is known' }),
    error_code: z.string().nullable(),
    error: z.string().nullable(),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    poll: z.string(),
  })
  .meta({ id: 'DocumentIndexing' })
