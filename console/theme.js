// Runs before the page is painted, so that a chosen scheme never flashes in the other one first.
{
  const chosen = localStorage.getItem('svc-theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen
}
