import { dirname, resolve } from 'node:path'
import { pathInProject } from './path-in-project.ts'
import { ranking } from './ranking.ts'

/** Allowed imports of a layer: project paths for values, project paths for types only, and forbidden packages. */
interface Layer {
  readonly values: readonly string[]
  readonly types?: readonly string[]
  readonly not?: RegExp
}

const FRAMEWORKS = /^(koa|@koa\/.*|@mikro-orm\/.*|@temporalio\/.*|pg|kysely)$/

/** The packages that the import map of the console names. */
const NOT_IN_BROWSERS = /^(?!(?:preact|preact\/hooks|htm\/preact|@preact\/signals|uplot)$)/

/** Each layer may import itself and the paths listed here. A folder that is not listed may import everything. */
const LAYERS: Readonly<Record<string, Layer>> = {
  core: { values: [], not: FRAMEWORKS },
  db: { values: ['core'], not: /^(koa|@koa\/.*|@temporalio\/.*)$/ },
  temporal: { values: ['core', 'config', 'workflows/kernel'], types: ['workflows'], not: /^(koa|@koa\/.*)$/ },
  workflows: { values: ['core'], types: ['activities'], not: /^(node:.*|koa|@koa\/.*|@mikro-orm\/.*|pg)$/ },
  activities: { values: ['core', 'db', 'temporal', 'workflows/kernel'], types: ['workflows'], not: /^(koa|@koa\/.*)$/ },
  api: { values: ['core', 'db', 'temporal', 'config'] },
  workers: { values: ['core', 'db', 'temporal', 'config', 'workflows', 'activities'] },
  cli: { values: ['core', 'stack', 'config'] },
  bases: { values: ['core'] },
  stack: { values: ['core/kernel/threads'] },
  config: { values: ['core'] },
  console: { values: [], not: NOT_IN_BROWSERS },
}

/** The areas, lowest first: each may import itself and those before it, in every layer. */
export const AREAS = [
  'kernel',
  'model',
  'ledger',
  'accounts',
  'billing',
  'gateway',
  'compile',
  'learn',
  'quality',
  'evidence',
  'fleet',
  'federated',
  'overview',
]
const LAYERS_WITH_AREAS = ['core', 'db', 'workflows', 'activities', 'api', 'cli']

/** Folders of these layers that are not areas. */
const OUTSIDE_AREAS = ['cli/client', 'cli/service', 'cli/terminal', 'db/migrations']

/** The place of an area in the order; undefined for the roots, which may see all areas. */
function areaOf(path: string): number | undefined {
  const [layer = '', area = '', ...rest] = path.split('/')
  const place = AREAS.indexOf(area)
  return LAYERS_WITH_AREAS.includes(layer) && rest.length > 0 && place >= 0 ? place : undefined
}

/** Returns the reason why a file may not import a path of the project; undefined when it may. */
function findViolation(file: string, target: string, isType: boolean): string | undefined {
  const layer = file.split('/')[0] ?? ''
  const rules = LAYERS[layer]
  if (rules === undefined) return undefined
  const allowed = [layer, ...rules.values, ...(isType ? (rules.types ?? []) : [])]
  if (!allowed.some((each) => target.startsWith(`${each}/`))) {
    return `${layer} may import ${allowed.join(', ')}, not ${target}`
  }
  const [own, theirs] = [areaOf(file), areaOf(target)]
  const [, folder = '', ...rest] = file.split('/')
  if (own === undefined && rest.length > 0 && LAYERS_WITH_AREAS.includes(layer)) {
    if (!OUTSIDE_AREAS.includes(`${layer}/${folder}`)) return `${layer}/${folder} is no area`
  }
  if (own === undefined || theirs === undefined || theirs <= own) return undefined
  return `the area ${AREAS[own]} is below ${AREAS[theirs]} and may not import ${target}: declare a port`
}

interface Import {
  readonly importKind?: 'type' | 'value'
  readonly exportKind?: 'type' | 'value'
  readonly source: { readonly type: string; readonly value?: unknown } | null
}

interface Context {
  readonly filename: string
  report(problem: { readonly node: Import; readonly message: string }): void
}

const order = {
  create(context: Context) {
    const file = pathInProject(context.filename)
    const rules = LAYERS[file.split('/')[0] ?? '']
    const check = (node: Import): void => {
      const source = node.source?.value
      if (rules === undefined || typeof source !== 'string') return
      const isType = node.importKind === 'type' || node.exportKind === 'type'
      const message = source.startsWith('.')
        ? findViolation(file, pathInProject(resolve(dirname(context.filename), source)), isType)
        : rules.not?.test(source) === true
          ? `${file.split('/')[0]} may not import the package ${source}`
          : undefined
      if (message !== undefined) context.report({ node, message })
    }
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    }
  },
}

/** The rules `house/order` (which layer may import which, and which area) and `house/ranking`. */
export default { meta: { name: 'house' }, rules: { order, ranking } }
