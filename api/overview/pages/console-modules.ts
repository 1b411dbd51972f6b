import { parse } from 'es-module-lexer/js'
import type { PageFile } from './page-file.ts'

/** The modules that the page itself names, and the one that lists the pages and loads each when it is first shown. */
const EARLY = '/console/app/early-session.js'
const ENTRY = '/console/main.js'
const PAGES = '/console/pages/index.js'
/** The name of a page or of a list of pages, as `console/pages/index.js` writes it. */
const NAME = /'?([\w-]+)'?(?::| =) \{/g
/** Stands before the call of `import()` of a part further down a page. */
const FURTHER = /\bfurther\(async \(\) => \(await $/

/** Paths of the modules that a browser needs, however indirectly they are imported. */
export interface ConsoleModules {
  /** To read the session. */
  readonly early: readonly string[]
  /** For the frame of all pages, beside those. */
  readonly frame: readonly string[]
  /** For each page by its name in `console/pages/index.js`, beside those. */
  readonly pages: Readonly<Record<string, PageModules>>
}

/** Paths of the modules of a page. */
export interface PageModules {
  /** Asked for at once. */
  readonly first: readonly string[]
  /** For what stands further down: asked for once the page can be used. */
  readonly further: readonly string[]
}

interface Import {
  readonly path: string
  /** Where a call of `import()` stands in the source; undefined for a module that is loaded together with this one. */
  readonly calledAt: number | undefined
  /** Whether it is called by `further` of `console/parts/read/further.js`. */
  readonly isFurther: boolean
}

/**
 * Reads the imports of the console's modules, so that a browser can ask for all that it needs at once, in place of one
 * round trip for each level of imports. `names` are the paths of the packages, by the names of the import map.
 */
export function readConsoleModules(
  files: ReadonlyMap<string, PageFile>,
  names: Readonly<Record<string, string>>,
): ConsoleModules {
  const sources = [...files].flatMap(([path, { bytes }]) =>
    path.endsWith('.js') ? [{ path, source: bytes.toString('utf8') }] : [],
  )
  const imports = new Map(sources.map(({ path, source }) => [path, importsOf(path, source, names)]))
  const early = reach(imports, EARLY)
  const frame = reach(imports, ENTRY)
  const list = sources.find(({ path }) => path === PAGES)?.source ?? ''
  const pages: Record<string, PageModules> = {}
  for (const { path, calledAt } of imports.get(PAGES) ?? []) {
    if (calledAt === undefined) continue
    const name = [...list.slice(0, calledAt).matchAll(NAME)].at(-1)?.[1] ?? ''
    const first = reach(imports, path)
    const parts = [...first].flatMap((at) => (imports.get(at) ?? []).filter(({ isFurther }) => isFurther))
    const further = parts.flatMap((part) => [...reach(imports, part.path)])
    pages[name] = {
      first: [...first].filter((needed) => !frame.has(needed)),
      further: [...new Set(further)].filter((needed) => !frame.has(needed) && !first.has(needed)),
    }
  }
  return { early: [...early], frame: [...frame].filter((path) => !early.has(path)), pages }
}

function importsOf(path: string, source: string, names: Readonly<Record<string, string>>): readonly Import[] {
  const [found] = parse(source, path)
  return found.flatMap(({ n: name, d: call, ss: start }) => {
    // Without a name: `import.meta`, and modules that an expression chooses.
    if (name === undefined) return []
    return [
      {
        path: names[name] ?? new URL(name, `file://${path}`).pathname,
        calledAt: call >= 0 ? start : undefined,
        isFurther: call >= 0 && FURTHER.test(source.slice(0, start)),
      },
    ]
  })
}

/** Returns a module and all modules that it imports at once, directly or through others, the nearest first. */
function reach(imports: ReadonlyMap<string, readonly Import[]>, start: string): ReadonlySet<string> {
  const reached = new Set([start])
  for (const at of reached) {
    for (const { path, calledAt } of imports.get(at) ?? []) if (calledAt === undefined) reached.add(path)
  }
  return reached
}
