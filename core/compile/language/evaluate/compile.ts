import type { Expr, Pattern, Pos } from '../ast.ts'
import { compileBasic, compileConvert } from './basics.ts'
import { compileChoice } from './choices.ts'
import type { CompiledPattern, Compiler, PosStep } from './compiler.ts'
import { compileDateReading } from './date-reading.ts'
import { compileDate } from './dates.ts'
import { spend, type Step } from './frame.ts'
import { compileList } from './lists.ts'
import { compileNumber } from './numbers.ts'
import { compileObject } from './objects.ts'
import { compilePattern, compilePos } from './search.ts'
import { compileText } from './text.ts'

/** Picks the compiler of the operator's group. */
function compileNode(compiler: Compiler, node: Expr): Step {
  switch (node.op) {
    case 'literal':
    case 'input':
    case 'field':
    case 'path':
    case 'let':
    case 'var':
      return compileBasic(compiler, node)
    case 'concat':
    case 'slice':
    case 'upper':
    case 'lower':
    case 'capitalise':
    case 'sentence':
    case 'title':
    case 'trim':
    case 'collapseSpace':
    case 'pad':
    case 'replace':
    case 'split':
    case 'join':
    case 'repeat':
    case 'removeChars':
    case 'keepChars':
    case 'extract':
    case 'extractAll':
    case 'count':
    case 'indexOf':
    case 'contains':
    case 'startsWith':
    case 'endsWith':
    case 'matches':
    case 'length':
    case 'reverse':
    case 'chars':
    case 'normalize':
      return compileText(compiler, node)
    case 'parseNumber':
    case 'formatNumber':
    case 'add':
    case 'sub':
    case 'mul':
    case 'div':
    case 'mod':
    case 'pow':
    case 'min':
    case 'max':
    case 'neg':
    case 'abs':
    case 'sign':
    case 'round':
    case 'roundStep':
    case 'sum':
    case 'average':
    case 'smallest':
    case 'largest':
    case 'ordinal':
    case 'roman':
    case 'parseRoman':
    case 'numberWords':
    case 'formatRadix':
    case 'parseRadix':
      return compileNumber(compiler, node)
    case 'parseDate':
    case 'formatDate':
    case 'makeDate':
    case 'addTime':
    case 'startOf':
    case 'endOf':
    case 'dateDifference':
    case 'datePart':
    case 'fromUnix':
    case 'atOffset':
      return compileDate(compiler, node)
    case 'readDate':
    case 'nthWeekday':
    case 'windowStart':
    case 'windowEnd':
      return compileDateReading(compiler, node)
    case 'if':
    case 'switch':
    case 'lookup':
    case 'and':
    case 'or':
    case 'not':
    case 'eq':
    case 'ne':
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
    case 'in':
    case 'isEmpty':
    case 'isType':
    case 'coalesce':
    case 'orElse':
    case 'can':
      return compileChoice(compiler, node)
    case 'list':
    case 'nth':
    case 'map':
    case 'filter':
    case 'any':
    case 'all':
    case 'sort':
    case 'sortBy':
    case 'unique':
    case 'take':
    case 'drop':
    case 'append':
      return compileList(compiler, node)
    case 'object':
    case 'pick':
    case 'omit':
    case 'rename':
    case 'merge':
    case 'keys':
    case 'values':
    case 'entries':
    case 'fromEntries':
      return compileObject(compiler, node)
    case 'toText':
    case 'toNumber':
    case 'toBoolean':
    case 'toJson':
    case 'parseJson':
      return compileConvert(compiler, node)
  }
}

/** A compiler that knows the names in reach; slots are nesting depths. */
class ScopedCompiler implements Compiler {
  readonly #names: readonly string[]

  constructor(names: readonly string[]) {
    this.#names = names
  }

  expr(expr: Expr): Step {
    const step = compileNode(this, expr)
    return (frame) => {
      spend(frame, 1)
      return step(frame)
    }
  }

  pattern(pattern: Pattern, group = 0): CompiledPattern {
    return compilePattern(this, pattern, group)
  }

  pos(pos: Pos): PosStep {
    const step = compilePos(this, pos)
    return (frame, text) => {
      spend(frame, 1)
      return step(frame, text)
    }
  }

  bind(name: string): { readonly inner: Compiler; readonly slot: number } {
    return { inner: new ScopedCompiler([...this.#names, name]), slot: this.#names.length }
  }

  slotOf(name: string): number {
    return this.#names.lastIndexOf(name)
  }
}

/** Compiles an expression to closures. Every expression and position costs 1 fuel each time it is evaluated. */
export function compileExpr(expr: Expr): Step {
  return new ScopedCompiler([]).expr(expr)
}
