import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { Limits } from '../../../core/compile/limits.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import { parseJsonText } from '../../../core/kernel/json/json-text.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import { decodeUtf8 } from '../../../core/kernel/json/utf8.ts'
import { readParts } from '../../kernel/request/multipart.ts'
import { validateValue } from '../../kernel/request/validate.ts'
import {
  bounded,
  formatOf,
  receiveFile,
  releaseReceived,
  type FileReceiver,
  type ReceivedFile,
} from './received-file.ts'

/** A multipart body of `spec` and one file, as far as it was sent. Release the file in the end. */
export interface SpecAndFile<Spec> {
  readonly spec: Spec | undefined
  readonly received: ReceivedFile | undefined
}

/**
 * Reads a multipart body: the part `spec` and one file of up to `maxBytes`, in either order; either may be absent. The
 * file waits in the spool. Throws `validation_failed` for a part that is there twice or a wrong spec, and what
 * `receiveFile` throws; then nothing of the file stays behind.
 */
export async function receiveSpecAndFile<Spec>(
  request: IncomingMessage,
  schema: z.ZodType<Spec>,
  receiver: FileReceiver,
  maxBytes: number,
): Promise<SpecAndFile<Spec>> {
  const { limits } = receiver
  let spec: { readonly value: Spec } | undefined
  let received: ReceivedFile | undefined
  let hasFile = false
  try {
    await readParts(request, maxBytes + limits.upload_spec_bytes, ['spec'], async (part) => {
      if (part.name === 'spec') {
        if (spec !== undefined) throw invalidField('spec', 'is given twice')
        spec = { value: validateValue(schema, await readSpec(part.stream, limits), 'spec') }
        return
      }
      if (hasFile) throw invalidField(part.name, 'is a second file; send one')
      hasFile = true
      received = await receiveFile(bounded(part.stream, part.name, maxBytes), formatOf(part), receiver, maxBytes)
    })
    return { spec: spec?.value, received }
  } catch (error) {
    await releaseReceived(received)
    throw error
  }
}

/** Reads the part `spec` as JSON. Throws `validation_failed`, `invalid_json` or `payload_too_large`. */
export async function readSpec(stream: Readable, limits: Limits): Promise<Json> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bounded(stream, 'spec', limits.upload_spec_bytes)) chunks.push(chunk)
  const text = decodeUtf8(Buffer.concat(chunks), 'spec')
  return parseJsonText(text, limits.json_depth, 'spec', limits.public_json_parts)
}
