import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Modules that are loaded with the one that names them; types are not, nor is what a command imports when it is called. */
const IMPORT = /^(?:import|export) (?!type )[^;'"]*?from '(\.[^']+)'|^import '(\.[^']+)'/gm

/** The modules of the project that are loaded with these. */
function loadedWith(...starts: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  const waiting = [...starts]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    for (const [, named, bare] of readFileSync(resolve(ROOT, at), 'utf8').matchAll(IMPORT)) {
      waiting.push(relative(ROOT, resolve(ROOT, dirname(at), named ?? bare ?? '')))
    }
  }
  return [...seen]
}

describe('the start of a command', () => {
  it('loads no reader of tables, no recipe language, no compiler and no model', () => {
    const loaded = loadedWith('cli/program.ts')
    const heavy =
      /^core\/(?:compile\/(?:language|synthesis|stages|archive|rows\/table\/(?:text|workbook))|model\/(?:files|generation|tabular))\//
    expect(loaded.filter((file) => heavy.test(file))).to.deep.equal([])
    expect(loaded).to.have.length.within(30, 120)
  })

  it('of verify loads the compiler only to recompute', () => {
    const loaded = loadedWith('cli/program.ts', 'cli/compile/verify/verify.ts')
    expect(loaded).to.include('core/compile/archive/verify.ts')
    expect(loaded).to.not.include('core/compile/synthesis/synthesize.ts')
    expect(loaded).to.not.include('core/compile/archive/recompute/recompute.ts')
  })
})
