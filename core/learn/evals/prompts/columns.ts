import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import type { TaskConfig } from '../task/task-config.ts'
import { readLiteral } from './python/text.ts'
import { parseTemplate, type TaskTemplate } from './template.ts'

/** Reads texts, targets and options out of rows by the templates of a task, as `lm_eval/api/task.py` 0.4.13 does. */
export interface ColumnReader {
  text(row: JsonObject, template?: string | number): Json
  target(row: JsonObject, template?: TaskConfig['doc_to_target']): Json
  /** Throws when the options are no list of texts. */
  choices(row: JsonObject, template?: TaskConfig['doc_to_choice']): readonly string[]
  /** A column by its name, else a template; null without one. */
  field(row: JsonObject, template: string | null | undefined): string | null
  /** The same where a column is one of the evaluated split. */
  prefix(row: JsonObject): string | null
}

const DIGITS = /^\d+$/

/** Returns a reader for the rows of a task; `features` are the columns of its evaluated split. */
export function readColumns(task: TaskConfig, features: ReadonlySet<string>): ColumnReader {
  const templates = new Map<string, TaskTemplate>()
  const render = (source: string, row: JsonObject): string => {
    let template = templates.get(source)
    if (template === undefined) {
      template = parseTemplate(source)
      templates.set(source, template)
    }
    return template.render(row)
  }
  const hasChoices = task.doc_to_choice !== undefined
  return {
    text(row, template = task.doc_to_text) {
      if (typeof template === 'number') return template
      if (features.has(template)) return column(row, template)
      const text = render(template, row)
      return hasChoices && DIGITS.test(text) ? Number(text) : text
    },
    target(row, template = task.doc_to_target) {
      if (typeof template === 'number') return template
      if (typeof template !== 'string') return [...template]
      if (features.has(template)) return column(row, template)
      const text = render(template, row)
      if (hasChoices && DIGITS.test(text)) return Number(text)
      if (text.length < 2 || !text.startsWith('[') || !text.endsWith(']')) return text
      try {
        return readLiteral(text)
      } catch {
        return text
      }
    },
    choices(row, template = task.doc_to_choice) {
      if (template === undefined) return []
      const found = typeof template === 'string' ? choicesOf(row, template) : Object.values(template)
      if (Array.isArray(found) && found.every((each) => typeof each === 'string')) return found
      throw new Error('doc_to_choice gives no list of texts')
    },
    field(row, template) {
      if (template === undefined || template === null || template === '') return null
      return Object.hasOwn(row, template) ? textColumn(row, template) : render(template, row)
    },
    prefix(row) {
      const template = task.gen_prefix
      if (template === undefined || template === null) return null
      return features.has(template) ? textColumn(row, template) : render(template, row)
    },
  }

  function choicesOf(row: JsonObject, template: string): Json {
    return features.has(template) ? column(row, template) : readLiteral(render(template, row))
  }
}

function column(row: JsonObject, name: string): Json {
  const value = Object.hasOwn(row, name) ? row[name] : undefined
  if (value === undefined) throw new Error(`the column ${JSON.stringify(name)} is not there`)
  return value
}

function textColumn(row: JsonObject, name: string): string {
  const value = column(row, name)
  if (typeof value === 'string') return value
  throw new Error(`the column ${JSON.stringify(name)} holds no text`)
}
