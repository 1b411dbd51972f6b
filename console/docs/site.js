import { addSearch } from './search.js'
import { addThemeButton } from './theme-button.js'

// Everything here needs script, so the page holds none of it without.
const bar = document.querySelector('.bar')
if (bar) {
  addSearch(bar)
  addThemeButton(bar)
}
for (const block of document.querySelectorAll('main pre')) addCopyButton(block)
document.querySelector('#guides')?.addEventListener('click', (event) => {
  if (event.target instanceof HTMLAnchorElement) /** @type {HTMLElement} */ (event.currentTarget).hidePopover()
})

/** @param {Element} block */
function addCopyButton(block) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  const copy = async () => {
    await navigator.clipboard.writeText(block.textContent ?? '')
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  }
  button.addEventListener('click', () => void copy())
  const frame = document.createElement('div')
  frame.className = 'code'
  block.replaceWith(frame)
  frame.append(block, button)
}
