import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Shapes that are measured: bases/nano's size with a larger vocabulary, and SmolLM2-135M's. */
export const SHAPES = ['nano', 'smol135'] as const
export type ShapeName = (typeof SHAPES)[number]

const PROGRAM = fileURLToPath(new URL('python/shapes.py', import.meta.url))

/** Makes a random base of a shape in a new folder below `parent`. */
export async function makeBase(python: string, shape: ShapeName, parent: string): Promise<string> {
  const folder = join(parent, shape)
  await promisify(execFile)(python, ['-W', 'ignore', PROGRAM, shape, folder])
  return folder
}
