import { packError, type ComputeReply } from '../../../core/compiler/pool/compute-task.ts'
import { parseJsonText } from '../../../core/json-text.ts'
import { decodeUtf8 } from '../../../core/utf8.ts'

/** A body to be checked. */
export interface BodyCheck {
  readonly bytes: Uint8Array
  readonly maxDepth: number
}

/** The entry of the thread that checks large bodies. Only the verdict goes back: a copy would cost as much as parsing. */
export function checkBody({ bytes, maxDepth }: BodyCheck): ComputeReply<null> {
  try {
    parseJsonText(decodeUtf8(bytes, 'body'), maxDepth)
    return { ok: true, output: null }
  } catch (error) {
    return packError(error)
  }
}
