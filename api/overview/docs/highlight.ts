import { escapeHtml } from './html.ts'

/** Coloured parts of each language: comments, texts and words of the language, tried in this order. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  sh: /(?<comment>(?<=^|\s)#.*$)|(?<text>'[^']*'|"(?:[^"\\]|\\.)*")/gm,
  python:
    /(?<comment>#.*$)|(?<text>"""[^]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<word>\b(?:from|import|def|return|if|else|for|in|try|except|as|with|class|None|True|False)\b)/gm,
  ts: /(?<comment>\/\/.*$|\/\*[^]*?\*\/)|(?<text>'(?:[^'\\\n]|\\.)*'|`[^`]*`)|(?<word>\b(?:import|from|export|const|let|await|async|for|of|in|if|else|return|new|function|try|catch|type)\b)/gm,
  sql: /(?<comment>--.*$)|(?<text>'[^']*')|(?<word>\b(?:select|from|where|update|set|create|function|returns|table|as|order by|insert|into)\b)/gim,
  json: /(?<word>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<text>"(?:[^"\\]|\\.)*")/g,
}

/** Returns code as HTML, coloured when its language is known. */
export function highlight(code: string, language: string): string {
  const pattern = PATTERNS[language]
  if (pattern === undefined) return escapeHtml(code)
  let html = ''
  let end = 0
  for (const match of code.matchAll(pattern)) {
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0] ?? ''
    html += `${escapeHtml(code.slice(end, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`
    end = match.index + match[0].length
  }
  return html + escapeHtml(code.slice(end))
}
