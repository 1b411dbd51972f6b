import { readFileSync } from 'node:fs'
import { hashJson, sha256, type Sha256 } from '../../../kernel/json/json.ts'

/** Modules whose code, with all that they import, decides what a compile finds and how it is scored. */
const ENTRIES = ['../../stages/sample/sample.ts', '../../stages/judge/verify.ts', '../../stages/judge/verdict.ts']

/** The modules of this project that a source file imports or re-exports at run time; types are erased. */
const IMPORTS = /^(?:import|export)\s(?!type\s)[^;'"]*?from\s+'(\.[^']+)'/gm

let known: Sha256 | undefined

/**
 * Returns the digest of the compiler's own sources: of every module that sampling and scoring load. Two builds with one
 * digest give the same recipes, answers and checks for the same rows.
 */
export function compilerDigest(): Sha256 {
  known ??= digestOf(ENTRIES.map((entry) => new URL(entry, import.meta.url)))
  return known
}

function digestOf(entries: readonly URL[]): Sha256 {
  const root = new URL('../../../../', import.meta.url).pathname
  const digests = new Map<string, Sha256>()
  const waiting = [...entries]
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    const name = url.pathname.slice(root.length)
    if (digests.has(name)) continue
    const source = readFileSync(url, 'utf8')
    digests.set(name, sha256(Buffer.from(source)))
    if (!name.endsWith('.ts')) continue
    for (const [, path] of source.matchAll(IMPORTS)) if (path !== undefined) waiting.push(new URL(path, url))
  }
  return hashJson(Object.fromEntries([...digests].toSorted(([a], [b]) => (a < b ? -1 : 1))))
}
