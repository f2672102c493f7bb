"""The only script of a report: tables that are put in order by a click on a header."""

# Sorts the table before it: numbers as numbers, what has none last in either direction; a second click turns the order round.
SORT = """
{ const body = document.currentScript.previousElementSibling.querySelector('tbody');
  const heads = [...document.currentScript.previousElementSibling.querySelectorAll('th')];
  const value = (row, n) => row.cells[n].dataset.value === undefined ? null : Number(row.cells[n].dataset.value);
  const empty = (row, n) => row.cells[n].textContent === '\u2013';
  heads.forEach((head, n) => head.querySelector('button').addEventListener('click', () => {
    const sign = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
    heads.forEach(other => other.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
    const order = (a, b) => {
      if (empty(a, n) || empty(b, n)) return empty(a, n) - empty(b, n);
      const [x, y] = [value(a, n), value(b, n)];
      return sign * (x !== null && y !== null ? x - y : a.cells[n].textContent.localeCompare(b.cells[n].textContent)); };
    body.append(...[...body.rows].sort(order)); })); }
"""
