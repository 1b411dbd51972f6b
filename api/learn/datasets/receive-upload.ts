import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { MOST_PATH_CHARS } from '../../../core/kernel/workspace/path-chars.ts'
import { MOST_FILES } from '../../../core/learn/wire/datasets/fields.ts'
import { bounded } from '../../compile/submit/received-file.ts'
import { readSpec } from '../../compile/submit/spec-and-file.ts'
import { readParts, type FilePart } from '../../kernel/request/multipart.ts'
import type { SpooledRows } from '../../kernel/request/spool.ts'
import { validateValue } from '../../kernel/request/validate.ts'
import type { LearnServices } from '../services.ts'

/** Files that were uploaded, in the spool. Release them in the end. */
export interface ReceivedUpload<Spec> {
  readonly spec: Spec
  readonly files: readonly { readonly name: string; readonly spooled: SpooledRows }[]
  release(): Promise<void>
}

/** Uploads of one tenant that may wait, in multiples of the largest. */
const WAITING_UPLOADS = 2

/**
 * Reads a multipart body: the part `spec` as JSON, which may be absent where the schema takes an empty object, and files,
 * which wait in the spool as they were sent. Throws `validation_failed` with the field, `payload_too_large`, `busy` and
 * `storage_full`; then no file stays.
 */
export async function receiveUpload<Spec>(
  request: IncomingMessage,
  schema: z.ZodType<Spec>,
  { limits, spool }: Pick<LearnServices, 'limits' | 'spool'>,
  caller: string,
): Promise<ReceivedUpload<Spec>> {
  const files: { name: string; spooled: SpooledRows }[] = []
  // Small files may be spooled in another order than they were sent in.
  const names: string[] = []
  let spec: { readonly value: Spec } | undefined
  const release = async () => {
    for (const { spooled } of files) await spooled.release()
  }
  const takeFile = async (part: FilePart): Promise<void> => {
    const name = nameOf(part)
    if (names.includes(name)) throw invalidField(part.name, `names ${name} twice`)
    if (names.length === MOST_FILES) throw invalidField(part.name, `may be given ${MOST_FILES} times at most`)
    names.push(name)
    const spooled = await spool.write(bounded(part.stream, part.name, limits.upload_bytes), {
      tenantId: `datasets/${caller}`,
      uploadBytes: limits.upload_bytes,
      tenantBytes: WAITING_UPLOADS * limits.upload_bytes,
      refuse: () => KERNEL_ERRORS.busy('you have too many uploads under way; try again shortly', { retryAfterS: 5 }),
    })
    files.push({ name, spooled })
  }
  try {
    await readParts(
      request,
      limits.upload_bytes + limits.upload_spec_bytes,
      ['spec'],
      async (part) => {
        if (part.name !== 'spec') return await takeFile(part)
        if (spec !== undefined) throw invalidField('spec', 'is given twice')
        spec = { value: validateValue(schema, await readSpec(part.stream, limits), 'spec') }
      },
      MOST_FILES + 1,
    )
    if (files.length === 0) throw invalidField('file', 'is required: send at least one file')
    files.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
    return { spec: (spec ?? { value: validateValue(schema, {}, 'spec') }).value, files, release }
  } catch (error) {
    await release()
    throw error
  }
}

/** The name of an upload, with its folders: a browser sends them for a folder. */
function nameOf({ filename, name }: FilePart): string {
  const clean = filename.replaceAll('\0', '').toWellFormed()
  if (clean === '') throw invalidField(name, 'has no file name')
  if (clean.length > MOST_PATH_CHARS) {
    throw invalidField(name, `has a file name of more than ${MOST_PATH_CHARS} characters`)
  }
  return clean
}
