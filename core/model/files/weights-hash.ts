import { hashJson, type Sha256 } from '../../kernel/json/json.ts'
import type { Dtype } from './safetensors/header.ts'

/** What identifies a tensor: how it is stored, and the SHA-256 (hex) of its bytes. */
export interface TensorDigest {
  readonly name: string
  readonly dtype: Dtype
  readonly shape: readonly number[]
  readonly digest: string
}

/**
 * The hash of weights, whatever files and order they are stored in: SHA-256 over the canonical JSON (RFC 8785) of
 * `[[name, dtype, shape, sha256 of the bytes in hex], …]`, sorted by name (UTF-16 code units).
 */
export function hashTensors(tensors: readonly TensorDigest[]): Sha256 {
  const sorted = tensors.toSorted((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)))
  return hashJson(sorted.map(({ name, dtype, shape, digest }) => [name, dtype, shape, digest]))
}
