import { pathInProject } from './path-in-project.ts'

const SEARCH = 'core/compile/synthesis/'
/** The folder that turns figures of the ranking file into costs. */
const RANKING = `${SEARCH}ranking/`
const COST_NAME = /(?:cost|price)s?$/i
const COST_CONSTANT = /(?:^|_)(?:COSTS?|PRICES?|GAINS?|SLACK)(?:_|$)/

/** A node of the syntax tree, as far as the rule reads it. */
interface Syntax {
  readonly type: string
  readonly [part: string]: unknown
}

function isSyntax(value: unknown): value is Syntax {
  return typeof value === 'object' && value !== null && 'type' in value
}

function nameOf(node: unknown): string {
  if (!isSyntax(node)) return ''
  if (node.type === 'Identifier' && typeof node['name'] === 'string') return node['name']
  return node.type === 'MemberExpression' ? nameOf(node['property']) : ''
}

/** Returns true for a number other than zero, also with a sign or in a branch of a condition. */
function isFigure(node: unknown): boolean {
  if (!isSyntax(node)) return false
  if (node.type === 'Literal') return typeof node['value'] === 'number' && node['value'] !== 0
  if (node.type === 'UnaryExpression') return isFigure(node['argument'])
  return node.type === 'ConditionalExpression' && (isFigure(node['consequent']) || isFigure(node['alternate']))
}

/** Returns true for a cost, and for its total or value. */
function isCost(node: unknown): boolean {
  if (!isSyntax(node)) return false
  if (node.type === 'ChainExpression') return isCost(node['expression'])
  if (node.type !== 'MemberExpression') return COST_NAME.test(nameOf(node))
  const name = nameOf(node)
  return COST_NAME.test(name) || ((name === 'total' || name === 'value') && isCost(node['object']))
}

function isNumberType(node: unknown): boolean {
  return isSyntax(node) && isSyntax(node['typeAnnotation']) && node['typeAnnotation'].type === 'TSNumberKeyword'
}

/** Returns what is wrong with a node; undefined when it is fine. */
function findFigure(node: Syntax): string | undefined {
  switch (node.type) {
    case 'BinaryExpression':
      return (isCost(node['left']) && isFigure(node['right'])) || (isFigure(node['left']) && isCost(node['right']))
        ? 'a figure beside a cost: add a feature, or compare with a bound'
        : undefined
    case 'AssignmentExpression':
      return isCost(node['left']) && isFigure(node['right']) ? 'a figure as a cost: use a feature' : undefined
    case 'Property':
    case 'PropertyDefinition':
      return COST_NAME.test(nameOf(node['key'])) && isFigure(node['value'])
        ? 'a figure as a cost: use a feature'
        : undefined
    case 'VariableDeclarator': {
      const name = nameOf(node['id'])
      const isNamed = COST_NAME.test(name) || COST_CONSTANT.test(name)
      return isNamed && isFigure(node['init']) ? 'a constant cost: use a feature or a bound' : undefined
    }
    case 'TSPropertySignature':
      return COST_NAME.test(nameOf(node['key'])) && isNumberType(node['typeAnnotation'])
        ? 'a cost that is a number: use Cost'
        : undefined
    case 'CallExpression': {
      const [, count] = Array.isArray(node['arguments']) ? node['arguments'] : []
      const isFeature = ['with', 'costOf'].includes(nameOf(node['callee']))
      return isFeature && isFigure(count) ? 'a fixed count of a feature: give the feature that weight' : undefined
    }
    default:
      return undefined
  }
}

interface Context {
  readonly filename: string
  report(problem: { readonly node: Syntax; readonly message: string }): void
}

/** The rule `house/ranking`: figures of the search's costs stand in ranking.json, not in its code. */
export const ranking = {
  create(context: Context) {
    const file = pathInProject(context.filename)
    const isSearch = file.startsWith(SEARCH) && !file.startsWith(RANKING)
    const check = (node: Syntax): void => {
      const problem = isSearch ? findFigure(node) : undefined
      if (problem !== undefined) context.report({ node, message: `${problem} of core/compile/synthesis/ranking` })
    }
    return {
      BinaryExpression: check,
      AssignmentExpression: check,
      Property: check,
      PropertyDefinition: check,
      VariableDeclarator: check,
      TSPropertySignature: check,
      CallExpression: check,
    }
  },
}
