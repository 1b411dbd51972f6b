import { stripVTControlCharacters } from 'node:util'
import { paint } from './output.ts'

/** Rows under headings, columns aligned; numbers to the right. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => stripVTControlCharacters(row[column] ?? '').length)),
  )
  const isNumeric = headings.map((_, column) => rows.every((row) => /^[-\d.,%]*$/.test(row[column] ?? '')))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const space = ' '.repeat(Math.max(0, (widths[column] ?? 0) - stripVTControlCharacters(cell).length))
        return isNumeric[column] === true ? space + cell : cell + space
      })
      .join('  ')
      .trimEnd()
  return [paint('dim', line(headings)), ...rows.map(line)].join('\n')
}

/** Facts under each other, their names aligned. */
export function formatFacts(facts: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length))
  return facts.map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${value}`).join('\n')
}

/** Removes control sequences, which a terminal would obey, from untrusted text. */
export function plainText(text: string): string {
  return text.replaceAll(/\p{C}/gu, '')
}

/** A time of the API without its fraction of a second. */
export function formatTime(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z')
}

/** A size in megabytes of 1,000,000 bytes, as answers give it, for people. */
export function formatMegabytes(megabytes: number): string {
  return formatBytes(Math.round(megabytes * 1_000_000))
}

/** A size for people. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}
