/**
 * A section of a guide: its address, the title of its guide, its heading, and its words.
 *
 * @typedef {readonly [address: string, guide: string, heading: string, text: string]} Section
 */

const MOST_RESULTS = 12
const EXCERPT = 120

/**
 * Adds the search over all guides. Its index is loaded when the field is first used; `/` leads to the field.
 *
 * @param {Element} bar
 */
export function addSearch(bar) {
  const form = document.createElement('div')
  form.className = 'search'
  form.role = 'search'
  const field = document.createElement('input')
  const list = document.createElement('ul')
  const status = document.createElement('p')
  field.type = 'search'
  field.placeholder = 'Search the guides'
  field.autocomplete = 'off'
  field.ariaLabel = 'Search the guides'
  field.role = 'combobox'
  field.ariaExpanded = 'false'
  field.ariaAutoComplete = 'list'
  field.setAttribute('aria-controls', 'found')
  list.id = 'found'
  list.role = 'listbox'
  list.ariaLabel = 'Sections found'
  list.hidden = true
  status.className = 'unseen'
  status.role = 'status'
  form.append(field, list, status)
  bar.append(form)

  /** @type {Promise<readonly Section[]> | undefined} */
  let loading
  const load = () => (loading ??= fetch('/docs/search.json').then(async (answer) => await answer.json()))
  let chosen = -1

  const close = () => {
    list.hidden = true
    field.ariaExpanded = 'false'
    field.removeAttribute('aria-activedescendant')
    chosen = -1
  }
  /** @param {number} index */
  const choose = (index) => {
    const options = [...list.children]
    chosen = (index + options.length) % options.length
    for (const [i, option] of options.entries()) option.ariaSelected = String(i === chosen)
    const option = options[chosen]
    if (option === undefined) return
    field.setAttribute('aria-activedescendant', option.id)
    option.scrollIntoView({ block: 'nearest' })
  }
  const show = async () => {
    const words = wordsOf(field.value)
    if (words.length === 0) return close()
    const found = findSections(await load(), words)
    // The field may have changed while the index was on its way.
    if (words.join(' ') !== wordsOf(field.value).join(' ')) return
    list.replaceChildren(...found.map((section, i) => optionOf(section, words, i)))
    list.hidden = found.length === 0
    field.ariaExpanded = String(found.length > 0)
    status.textContent = found.length === 0 ? 'No section has all these words.' : `${found.length} sections`
    status.className = found.length === 0 ? 'none' : 'unseen'
    if (found.length > 0) choose(0)
  }
  /** @param {Element | null | undefined} option */
  const go = (option) => {
    if (!(option instanceof HTMLElement)) return
    close()
    location.assign(option.dataset['address'] ?? '')
  }
  field.addEventListener('focus', () => void load())
  field.addEventListener('input', () => void show())
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close()
    if (list.hidden) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      choose(chosen + (event.key === 'ArrowDown' ? 1 : -1))
    }
    if (event.key === 'Enter') go(list.children[chosen])
  })
  list.addEventListener('click', ({ target }) => go(target instanceof Element ? target.closest('li') : null))
  document.addEventListener('click', (event) => {
    if (event.target instanceof Node && !form.contains(event.target)) close()
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return
    event.preventDefault()
    field.focus()
  })
}

/**
 * Returns the sections that hold every word, the best first: a word in a heading counts more than one in the text.
 *
 * @param {readonly Section[]} sections
 * @param {readonly string[]} words
 */
function findSections(sections, words) {
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST_RESULTS)
    .map(({ section }) => section)
}

/**
 * @param {Section} section
 * @param {readonly string[]} words
 */
function scoreOf([, guide, heading, text], words) {
  let score = 0
  for (const word of words) {
    const inText = text.toLowerCase().split(word).length - 1
    const points =
      (heading.toLowerCase().includes(word) ? 12 : 0) +
      (guide.toLowerCase().includes(word) ? 6 : 0) +
      Math.min(inText, 5)
    if (points === 0) return 0
    score += points
  }
  return score
}

/**
 * @param {Section} section
 * @param {readonly string[]} words
 * @param {number} index
 */
function optionOf([address, guide, heading, text], words, index) {
  const option = document.createElement('li')
  option.role = 'option'
  option.id = `found-${index}`
  option.ariaSelected = 'false'
  option.dataset['address'] = address
  const title = document.createElement('strong')
  title.textContent = heading === guide ? guide : `${guide}: ${heading}`
  const excerpt = document.createElement('span')
  const place = Math.max(0, text.toLowerCase().indexOf(words[0] ?? ''))
  const start = place > EXCERPT / 3 ? text.lastIndexOf(' ', place - EXCERPT / 3) + 1 : 0
  excerpt.textContent = text.slice(start, start + EXCERPT)
  option.append(title, excerpt)
  return option
}

/** @param {string} text */
function wordsOf(text) {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
}
