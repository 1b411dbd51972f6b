import { inlineBounds, uploadBounds } from '../../../../../core/compile/rows/intake/bounds.ts'
import { DomainError } from '../../../../../core/kernel/errors.ts'
import { DEFAULT_LIMITS } from '../../../../../core/limits.ts'

export const INLINE = inlineBounds(DEFAULT_LIMITS)
export const UPLOAD = uploadBounds(DEFAULT_LIMITS)

export async function* chunksOf(data: Uint8Array | string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(data)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export async function* from<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

export async function fails(work: Promise<unknown>): Promise<DomainError> {
  try {
    await work
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
  throw new Error('it did not fail')
}
