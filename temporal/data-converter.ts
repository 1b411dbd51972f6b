import { fileURLToPath } from 'node:url'
import type { DataConverter } from '@temporalio/common'
import { createPayloadCodec } from './codec.ts'

/**
 * Returns the payload converter of clients and workers: with a codec key everything is encrypted, messages of failures
 * included; without one it is plain JSON.
 */
export function createDataConverter(codecKey: Uint8Array | undefined): DataConverter {
  if (codecKey === undefined) return {}
  return {
    payloadCodecs: [createPayloadCodec([codecKey])],
    failureConverterPath: fileURLToPath(new URL('./failure-converter.ts', import.meta.url)),
  }
}
