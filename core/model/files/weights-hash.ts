import { hashJson, type Sha256 } from '../../kernel/json/json.ts'
import type { Dtype } from './safetensors/header.ts'

/** Identity of a tensor: its storage type, and the SHA-256 (hex) of its bytes. */
export interface TensorDigest {
  readonly name: string
  readonly dtype: Dtype
  readonly shape: readonly number[]
  readonly digest: string
}

/**
 * Returns the hash of weights, independent of their files and order: SHA-256 over the canonical JSON (RFC 8785) of
 * `[[name, dtype, shape, sha256 of the bytes in hex], …]`, sorted by name (UTF-16 code units).
 */
export function hashTensors(tensors: readonly TensorDigest[]): Sha256 {
  const sorted = tensors.toSorted((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)))
  return hashJson(sorted.map(({ name, dtype, shape, digest }) => [name, dtype, shape, digest]))
}
