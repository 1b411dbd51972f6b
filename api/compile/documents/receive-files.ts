import type { IncomingMessage } from 'node:http'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { decodeUtf8 } from '../../../core/kernel/json/utf8.ts'
import { EmbedFields, MOST_FILES } from '../../../core/compile/wire/documents/embed.ts'
import { MOST_PATH_CHARS } from '../../../core/kernel/workspace/path-chars.ts'
import { readParts, type FilePart } from '../../kernel/request/multipart.ts'
import type { SpooledRows } from '../../kernel/request/spool.ts'
import { validateValue } from '../../kernel/request/validate.ts'
import type { CompileServices } from '../services.ts'
import { bounded } from '../submit/received-file.ts'

/** Files that were uploaded, in the spool. Release them in the end. */
export interface ReceivedFiles {
  readonly namespace: string
  readonly force: boolean
  readonly embedding_model?: string | undefined
  readonly files: readonly { readonly path: string; readonly spooled: SpooledRows }[]
  release(): Promise<void>
}

const FIELDS = ['namespace', 'force', 'embedding_model'] as const
const MOST_FIELD_BYTES = 1024
/** Uploads of one tenant that may wait, in multiples of the largest. */
const WAITING_UPLOADS = 2

/**
 * Reads a multipart body: the fields `namespace`, `force` and `embedding_model`, and files, which wait in the spool. Throws
 * `validation_failed` with the field, `payload_too_large`, `busy` and `storage_full`; then no file stays.
 */
export async function receiveFiles(
  request: IncomingMessage,
  { limits, spool }: Pick<CompileServices, 'limits' | 'spool'>,
  caller: string,
): Promise<ReceivedFiles> {
  const fields = new Map<string, string>()
  const files: { path: string; spooled: SpooledRows }[] = []
  const release = async () => {
    for (const { spooled } of files) await spooled.release()
  }
  const takeFile = async ({ filename, name, stream }: FilePart): Promise<void> => {
    const path = pathOf(filename, name)
    if (files.some((file) => file.path === path)) throw invalidField(name, `names ${path} twice`)
    const spooled = await spool.write(bounded(stream, name, limits.document_bytes), {
      tenantId: `documents/${caller}`,
      uploadBytes: limits.document_bytes,
      tenantBytes: WAITING_UPLOADS * limits.document_upload_bytes,
      refuse: () => KERNEL_ERRORS.busy('you have too many uploads under way; try again shortly', { retryAfterS: 5 }),
    })
    files.push({ path, spooled })
  }
  const takeField = async ({ name, stream }: FilePart): Promise<void> => {
    if (fields.has(name)) throw invalidField(name, 'is given twice')
    const pieces: Uint8Array[] = []
    for await (const piece of bounded(stream, name, MOST_FIELD_BYTES)) pieces.push(piece)
    fields.set(name, decodeUtf8(Buffer.concat(pieces), name))
  }
  try {
    await readParts(
      request,
      limits.document_upload_bytes,
      [...FIELDS],
      async (part) => {
        if (FIELDS.some((name) => name === part.name)) await takeField(part)
        else await takeFile(part)
      },
      MOST_FILES + 2 * FIELDS.length,
    )
    const force = fields.get('force') ?? 'false'
    if (force !== 'true' && force !== 'false') throw invalidField('force', 'must be true or false')
    const model = fields.get('embedding_model')
    const given = {
      namespace: fields.get('namespace') ?? null,
      force: force === 'true',
      ...(model !== undefined && { embedding_model: model }),
    }
    const spec = validateValue(EmbedFields, given, '')
    if (files.length === 0) throw invalidField('file', 'is required: send at least one file')
    if (files.length > MOST_FILES) throw invalidField('file', `may be given ${MOST_FILES} times at most`)
    return { ...spec, files, release }
  } catch (error) {
    await release()
    throw error
  }
}

/** The name of an upload is the path of its document, as the caller sent it. */
function pathOf(filename: string, name: string): string {
  if (filename === '') throw invalidField(name, 'has no file name; it becomes the path of the document')
  if (filename.length > MOST_PATH_CHARS)
    throw invalidField(name, `has a file name of more than ${MOST_PATH_CHARS} characters`)
  return filename.replaceAll('\0', '').toWellFormed()
}
