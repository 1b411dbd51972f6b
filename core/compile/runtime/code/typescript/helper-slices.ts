import { readFileSync } from 'node:fs'
import { currencyRanges, classOfRanges } from '../patterns/class-ranges.ts'

/** Modules of helpers of the written code. */
const HELPERS = ['answers', 'texts', 'values', 'numbers', 'classifier', 'tabular'].map((name) => `./helpers/${name}.ts`)
const PRIMITIVES = '../../../language/primitives'
const MODELS = '../../../../model'
/** Modules of the service itself, of which the written code takes what it needs. */
const MODULES = [
  ...HELPERS,
  ...['edit', 'positions', 'regions', 'casing', 'char-classes', 'unicode-classes'].map(
    (name) => `${PRIMITIVES}/text/${name}.ts`,
  ),
  `${PRIMITIVES}/values/json-values.ts`,
  ...[
    'decimal',
    'rounding',
    'arithmetic',
    'check-sums',
    'running',
    'remainder',
    'number-text',
    'number-words',
    'written-decimal',
    'units',
  ].map((name) => `${PRIMITIVES}/numbers/${name}.ts`),
  ...['civil-date', 'date-math', 'date-pattern', 'date-text', 'windows'].map(
    (name) => `${PRIMITIVES}/dates/${name}.ts`,
  ),
  ...[
    'date-names',
    'options',
    'lexicon',
    'tokens',
    'fold',
    'fields',
    'numeric-dates',
    'cursor',
    'days',
    'times',
    'read-date',
  ].map((name) => `${PRIMITIVES}/dates/reading/${name}.ts`),
  '../../../language/names.ts',
  ...['features', 'hash-table', 'sparse-rows', 'logistic-regression'].map((name) => `${MODELS}/classifier/${name}.ts`),
  ...['read-values', 'read-numbers', 'read-dates', 'feature-reader'].map(
    (name) => `${MODELS}/tabular/features/${name}.ts`,
  ),
  ...['exact-math', 'recipe/tabular-recipe', 'recipe/arrays', 'recipe/scores', 'recipe/open-tabular'].map(
    (name) => `${MODELS}/tabular/${name}.ts`,
  ),
]

/** The types of a tabular recipe, which the service derives from schemas. */
const COLUMN = `type Column = { readonly path: Path } & (
  | { readonly kind: 'number'; readonly form?: NumberForm; readonly parts: readonly ('value' | 'missing')[] }
  | { readonly kind: 'boolean' | 'length'; readonly parts: readonly ('value' | 'missing')[] }
  | { readonly kind: 'date'; readonly order?: DateOrder; readonly parts: readonly (keyof DateParts | 'missing')[] }
  | { readonly kind: 'category'; readonly values: readonly string[]; readonly parts: readonly ('unseen' | 'missing')[] }
  | {
      readonly kind: 'text'
      readonly hashes: readonly number[]
      readonly charGrams?: readonly [number, number]
      readonly parts: readonly ('characters' | 'missing')[]
    }
)`
const TARGET = `type Target =
  | { readonly kind: 'label'; readonly labels: readonly Json[]; readonly threshold: number }
  | {
      readonly kind: 'number'
      readonly decimals: number | null
      readonly interval: { readonly coverage: number; readonly half_width: number } | null
    }
  | {
      readonly kind: 'labels'
      readonly labels: readonly Json[]
      readonly thresholds: readonly number[]
      readonly threshold: number
    }`

/** Declarations that written code has in another form, by module and name. */
const OWN: Readonly<Record<string, () => string>> = {
  'char-classes.ts isSpace': () => '',
  'char-classes.ts WHITE_SPACE': () => "const WHITE_SPACE = '\\\\s\\\\x85'",
  'char-classes.ts isCurrencySign': () =>
    `/** True for a sign of a currency. */\nfunction isCurrencySign(unit: number): boolean {\n  return /[${classOfRanges(currencyRanges(), 'typescript')}]/u.test(String.fromCharCode(unit))\n}`,
  'edit.ts trimText': () => '',
  'arrays.ts refuse': () =>
    'function refuse(reason: string): RangeError {\n  return new RangeError(`tabular weights: ${reason}`)\n}',
  'tabular-recipe.ts parts': () => '',
  'tabular-recipe.ts Path': () => 'type Path = readonly (string | number)[]',
  'tabular-recipe.ts Column': () => COLUMN,
  'tabular-recipe.ts Target': () => TARGET,
}
/** Modules of names that a module's own import does not lead to. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  isSpace: 'texts.ts',
  trimText: 'texts.ts',
  Matches: 'texts.ts',
  canonicalJson: 'values.ts',
  isJsonObject: 'values.ts',
}

interface Slice {
  readonly module: string
  /** Undefined for a statement that only has effects. */
  readonly name: string | undefined
  readonly source: string
  readonly isConstant: boolean
}

interface Module {
  readonly name: string
  readonly slices: readonly Slice[]
  /** Imported names: the name of their module and the name there. */
  readonly imports: ReadonlyMap<string, string>
}

let modules: ReadonlyMap<string, Module> | undefined

const STARTS = /\n(?=(?:\/\*\*|\/\/ |export |const |function |class |interface |type |for \(|[a-z]\w*\(|[A-Z_]+\.))/

function readModule(path: string): Module {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8')
  const imports = new Map<string, string>()
  for (const [, names = '', from = ''] of text.matchAll(/^import (?:type )?\{([^}]*)\} from '([^']+)'/gm)) {
    for (const name of names.split(',')) imports.set(name.replace(/\btype /, '').trim(), from.split('/').at(-1) ?? '')
  }
  const body = text.replaceAll(/^import [^']*'[^']+'\n/gm, '').replaceAll(/^export \{[^}]*\}.*\n/gm, '')
  const name = path.split('/').at(-1) ?? path
  const slices: Slice[] = []
  let comment = ''
  for (const part of `\n${body}`.split(STARTS).map((piece) => piece.trim())) {
    if (part === '') continue
    const code = part.replace(/^\/\*\*[\s\S]*?\*\/\s*/, '').replaceAll(/^\/\/ .*\n?/gm, '')
    if (code.trim() === '') {
      comment = `${part}\n`
      continue
    }
    const found = /^(?:export )?(?:async )?(function|class|interface|type|const) (\w+)/.exec(code)
    slices.push({
      module: name,
      name: found?.[2],
      source: comment + part.replace(/^(export )/m, ''),
      isConstant: found?.[1] === 'const',
    })
    comment = ''
  }
  return { name, slices, imports }
}

function allModules(): ReadonlyMap<string, Module> {
  modules ??= new Map(MODULES.map((path) => readModule(path)).map((module) => [module.name, module]))
  return modules
}

/** Names that functions and variables of written code must not take. */
export function helperNames(): readonly string[] {
  return [...allModules().values()].flatMap(({ slices }) => slices.flatMap(({ name }) => name ?? []))
}

const key = ({ module, name }: Pick<Slice, 'module' | 'name'>): string => `${module} ${name ?? ''}`

function mentioned(source: string): ReadonlySet<string> {
  const code = source.replaceAll(/\/\*\*[\s\S]*?\*\//g, '').replaceAll(/\/\/ .*$/gm, '')
  return new Set(code.match(/(?<![\w'#])(?<!(?<!\.\.)\.)\b[A-Za-z_]\w*\b(?!')/g) ?? [])
}

/** The slice that a name means in a module. */
function resolve(name: string, module: Module): Slice | undefined {
  const own = module.slices.find((slice) => slice.name === name)
  const isReplaced = own !== undefined && OWN[key(own)]?.() === ''
  if (own !== undefined && !isReplaced) return own
  const from = ELSEWHERE[name] ?? module.imports.get(name)
  const target = from === undefined ? undefined : allModules().get(from)
  return target === undefined || target === module ? undefined : resolve(name, target)
}

/** Collects the helpers of these names with all that they need, as TypeScript. `sources` replaces constants by name. */
export function helperSlices(
  names: Iterable<string>,
  sources: ReadonlyMap<string, string> = new Map(),
): readonly string[] {
  const all = allModules()
  const wanted = new Map<string, Slice>()
  const codeOf = (slice: Slice): string => OWN[key(slice)]?.() ?? sources.get(slice.name ?? '') ?? slice.source
  const add = (slice: Slice): void => {
    const id = `${key(slice)}${slice.name === undefined ? slice.source : ''}`
    if (wanted.has(id)) return
    wanted.set(id, slice)
    const module = all.get(slice.module)
    if (module === undefined) return
    for (const name of mentioned(codeOf(slice))) {
      const found = resolve(name, module)
      if (found !== undefined) add(found)
    }
  }
  for (const name of names) {
    const found = [...all.values()]
      .map((module) => module.slices.find((slice) => slice.name === name))
      .find((slice) => slice !== undefined)
    if (found !== undefined) add(found)
  }
  for (let size = -1; size !== wanted.size;) {
    size = wanted.size
    for (const module of all.values())
      for (const slice of module.slices) if (slice.name === undefined && fills(slice, module, wanted)) add(slice)
  }
  return inOrder([...wanted.values()], all, codeOf)
}

/** True for a statement that fills a constant that is there. */
function fills(statement: Slice, module: Module, wanted: ReadonlyMap<string, Slice>): boolean {
  const seen = new Set<Slice>()
  const waiting = [statement]
  for (let slice = waiting.pop(); slice !== undefined; slice = waiting.pop()) {
    for (const name of mentioned(slice.source)) {
      const found = resolve(name, module)
      if (found === undefined || found.module !== module.name || seen.has(found)) continue
      seen.add(found)
      waiting.push(found)
    }
  }
  return [...seen].some(
    (slice) => slice.isConstant && /= new (?:Map|Uint16Array)/.test(slice.source) && wanted.has(key(slice)),
  )
}

/** The slices in the order of their modules; a name that two modules have gets the module's name behind it. */
function inOrder(
  slices: readonly Slice[],
  all: ReadonlyMap<string, Module>,
  codeOf: (slice: Slice) => string,
): string[] {
  const order = [...all.keys()]
  const byName = Map.groupBy(slices, ({ name }) => name)
  const renamed = new Map<string, string>()
  for (const [name, same] of byName)
    if (name !== undefined)
      for (const slice of same.slice(1))
        renamed.set(
          key(slice),
          `${name}Of${slice.module.replace('.ts', '').replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
        )
  const depth = loadOrder(slices, all, codeOf)
  const placed = slices.toSorted(
    (a, b) =>
      rankOf(a) - rankOf(b) ||
      ([0, 2, 3].includes(rankOf(a)) ? (depth.get(a) ?? 0) - (depth.get(b) ?? 0) : 0) ||
      order.indexOf(a.module) - order.indexOf(b.module) ||
      positionOf(a, all) - positionOf(b, all),
  )
  return placed.map((slice) => {
    const module = all.get(slice.module)
    let code = codeOf(slice)
    for (const name of module === undefined ? [] : mentioned(code)) {
      const target = module === undefined ? undefined : resolve(name, module)
      const other = target === undefined ? undefined : renamed.get(key(target))
      if (other !== undefined)
        code = code.replaceAll(new RegExp(`(?<![\\w'])(?<!(?<!\\.\\.)\\.)${name}\\b(?!')`, 'g'), other)
    }
    return code
  })
}

/** A number for each slice that is larger than those of all that it needs. */
function loadOrder(
  slices: readonly Slice[],
  all: ReadonlyMap<string, Module>,
  codeOf: (slice: Slice) => string,
): ReadonlyMap<Slice, number> {
  const numbers = new Map<Slice, number>()
  const seen = new Set<Slice>()
  const visit = (slice: Slice): void => {
    if (seen.has(slice)) return
    seen.add(slice)
    const module = all.get(slice.module)
    for (const name of module === undefined ? [] : mentioned(codeOf(slice))) {
      const found = module === undefined ? undefined : resolve(name, module)
      if (found !== undefined) visit(found)
    }
    numbers.set(slice, numbers.size)
  }
  for (const slice of slices) visit(slice)
  return numbers
}

/** Classes, constants and what fills them stand before functions: they are made when a module is loaded. */
function rankOf({ isConstant, source, name }: Slice): number {
  const start = source.replace(/^\/\*\*[\s\S]*?\*\/\s*/, '')
  if (start.startsWith('class ')) return 0
  // A type that is derived from a constant stands before statements: `typeof` follows what they may have narrowed.
  if (start.startsWith('interface ') || start.startsWith('type ')) return 1
  return isConstant ? 2 : name === undefined ? 3 : 4
}

function positionOf(slice: Slice, all: ReadonlyMap<string, Module>): number {
  return all.get(slice.module)?.slices.indexOf(slice) ?? 0
}
