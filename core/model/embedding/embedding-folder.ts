import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isJsonObject, type JsonObject } from '../../kernel/json/json.ts'
import { DomainError } from '../../kernel/errors.ts'
import { readObject, readText } from '../files/base-files.ts'
import { listBases } from '../files/find-base.ts'

/** A folder with a model of embeddings in the layout of sentence-transformers, as Qwen3-Embedding has it. */
export interface EmbeddingFolder {
  /** Name of the folder. */
  readonly name: string
  readonly directory: string
  /** Put before a query; documents have no such text. */
  readonly queryPrompt: string
}

const MODULES = 'modules.json'
const POOLING_CONFIG = 'config.json'
const PROMPTS = 'config_sentence_transformers.json'
/** The task of a query by Qwen3-Embedding's own description, for a folder that states none. */
const DEFAULT_PROMPT = 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:'

/**
 * Returns the first model of embeddings in the operator's folders, by name: a supported decoder whose `modules.json`
 * names a pooling of the last token. Null where there is none.
 */
export async function findEmbeddingFolder(folders: readonly string[]): Promise<EmbeddingFolder | null> {
  for (const { name, directory, config } of await listBases(folders)) {
    if (config.experts !== undefined) continue
    if (await poolsLastToken(directory)) return { name, directory, queryPrompt: await queryPromptOf(directory) }
  }
  return null
}

/** Returns a text that changes when a file of the model is another. */
export async function stampOf(directory: string): Promise<string> {
  const names = (await readdir(directory)).filter((name) => /\.(json|safetensors)$/.test(name)).toSorted()
  const facts = await Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs, ino } = await stat(join(directory, name))
      return `${name} ${size} ${mtimeMs} ${ino}`
    }),
  )
  return [directory, ...facts].join('\n')
}

async function poolsLastToken(directory: string): Promise<boolean> {
  try {
    const folder = poolingFolder(await readText(directory, MODULES))
    if (folder === null) return false
    const pooling = await readObject(join(directory, folder), POOLING_CONFIG)
    return pooling?.['pooling_mode_lasttoken'] === true
  } catch (error) {
    if (error instanceof DomainError) return false
    throw error
  }
}

/** The folder of the pooling among the modules, inside the model's own. */
function poolingFolder(text: string | undefined): string | null {
  if (text === undefined) return null
  const modules = jsonList(text)
  const pooling = modules.find(({ type }) => typeof type === 'string' && type.endsWith('.Pooling'))
  const path = pooling?.['path']
  return typeof path === 'string' && path !== '' && basename(path) === path ? path : null
}

function jsonList(text: string): readonly JsonObject[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.filter((each) => isJsonObject(each)) : []
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
}

async function queryPromptOf(directory: string): Promise<string> {
  const prompts = (await readObject(directory, PROMPTS))?.['prompts']
  const query = isJsonObject(prompts) ? prompts['query'] : undefined
  return typeof query === 'string' ? query : DEFAULT_PROMPT
}
