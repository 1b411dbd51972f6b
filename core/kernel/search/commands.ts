import type { Passage } from './passage.ts'

const COMMAND = /^(?:npx )?(?<command>svc [^#]*?)\s*(?:#\s*(?<why>.*))?$/

/**
 * Returns the commands of `svc` in the documentation, each as a passage: the command as its heading, and what is written
 * about it, else the section that contains it.
 */
export function commandsIn(passages: readonly Passage[]): readonly Passage[] {
  const found = new Map<string, Passage>()
  for (const { url, heading, blocks } of passages) {
    for (const { kind, text } of blocks) {
      if (kind !== 'code') continue
      for (const line of text.split('\n')) {
        const { command, why } = COMMAND.exec(line.trim())?.groups ?? {}
        if (command === undefined || found.has(command)) continue
        found.set(command, { url, title: heading, heading: command, blocks: [{ kind: 'prose', text: why ?? heading }] })
      }
    }
  }
  return [...found.values()]
}

/** A command that a text names. */
export interface NamedCommand {
  readonly raw: string
  readonly verb: string
}

/** Returns the commands of `svc` that a Markdown text names, in code. */
export function commandsNamed(text: string): readonly NamedCommand[] {
  const code = [...text.matchAll(/```[a-z]*\n([^]*?)```|`([^`\n]+)`/g)].flatMap(([, block, inline]) =>
    (block ?? inline ?? '').split('\n'),
  )
  return code.flatMap((line) => {
    const { command } = COMMAND.exec(line.trim())?.groups ?? {}
    const verb = command?.split(/\s+/)[1]
    return command === undefined || verb === undefined ? [] : [{ raw: command, verb }]
  })
}
