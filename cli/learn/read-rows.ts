import { readFile } from 'node:fs/promises'
import type { Json } from '../../core/kernel/json/json.ts'
import { usageError } from '../cli-error.ts'

/** Reads a file of JSON lines. Throws a usage error that names the line, counted from 1. */
export async function readRowsFile(file: string): Promise<readonly Json[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(`${file} cannot be read`, error)
  })
  const rows = text
    .split('\n')
    .flatMap((line, at) => (line.trim() === '' ? [] : [parseLine(line, `${file}:${at + 1}`)]))
  if (rows.length === 0) throw usageError(`${file} holds no rows`)
  return rows
}

function parseLine(line: string, place: string): Json {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw usageError(`${place} is not JSON`, error)
  }
}
