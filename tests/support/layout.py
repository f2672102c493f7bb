"""What is cut off, hidden or unreadable on a page in a browser: every word must be seen, or be reached by a scroller that can be seen."""

SMALLEST = 6.5  # [px] of the page, of which a telephone has two or three to each: smaller letters cannot be read

# letters have their font, and what follows from their widths has been laid out
SETTLED = """async () => {
  await document.fonts.ready;
  for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
}"""

CHECK = """(smallest) => {
  const found = [], root = document.documentElement, width = root.clientWidth, slack = 1;
  const told = (node) => `'${node.textContent.trim().replace(/\\s+/g, ' ').slice(0, 60)}'`;
  const above = (element, test) => {
    for (let e = element; e && e !== document.body; e = e.parentElement) if (test(getComputedStyle(e), e)) return e;
    return null;
  };
  if (root.scrollWidth > width) found.push(`the page is ${root.scrollWidth} px wide in a window of ${width} px`);

  const isScroller = (style) => ['auto', 'scroll'].includes(style.overflowX);
  for (const element of document.querySelectorAll('body *')) {
    const style = getComputedStyle(element);
    if (element.ownerSVGElement || element.scrollWidth <= element.clientWidth + slack || !element.clientWidth) continue;
    if (['hidden', 'clip'].includes(style.overflowX)) found.push(`${element.tagName} cuts ${told(element)} off`);
    if (isScroller(style)) {
      const bar = element.offsetHeight - element.clientHeight - parseFloat(style.borderTopWidth) - parseFloat(style.borderBottomWidth);
      if (bar < 4) found.push(`nothing shows that ${element.tagName} ${told(element)} can be scrolled`);
    }
  }

  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!node.textContent.trim() || element.closest('script, style, title, desc, metadata')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()].filter((box) => box.width > 0.5 && box.height > 0.5);
    if (!boxes.length || above(element, (style) => style.visibility === 'hidden' || parseFloat(style.opacity) === 0)) {
      found.push(`${told(node)} is not to be seen`);
      continue;
    }
    const scroller = above(element, isScroller), svg = element.ownerSVGElement;
    const frame = (scroller || root).getBoundingClientRect();
    const left = scroller ? frame.left - scroller.scrollLeft : 0;
    const right = scroller ? left + scroller.scrollWidth + 2 : width;
    if (scroller && (frame.left < -slack || frame.right > width + slack)) found.push(`${told(node)}: its scroller leaves the window`);
    const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    if (parseFloat(getComputedStyle(element).fontSize) * scale < smallest) found.push(`${told(node)} is too small to be read`);
    for (const box of boxes) {
      if (box.left < left - slack || box.right > right + slack)
        found.push(`${told(node)} is from ${[box.left, box.right].map(Math.round)} px, beyond ${[left, right].map(Math.round)}`);
      if (svg) {
        const room = svg.getBoundingClientRect();
        if (box.left < room.left - slack || box.right > room.right + slack || box.top < room.top - 2 || box.bottom > room.bottom + 2)
          found.push(`${told(node)} leaves its drawing`);
      }
      texts.push({ node, box, svg });
    }
  }
  // Rows of letters have air above and below, which may overlap where letters do not
  const thin = (box) => ({ left: box.left, right: box.right, top: box.top + 0.25 * box.height, bottom: box.bottom - 0.25 * box.height });
  texts.sort((a, b) => a.box.top - b.box.top);
  for (let i = 0; i < texts.length; i++) {
    const one = thin(texts[i].box);
    for (let j = i + 1; j < texts.length && texts[j].box.top < texts[i].box.bottom; j++) {
      const other = thin(texts[j].box);
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (wide > 1 && high > 1) found.push(`${told(texts[i].node)} and ${told(texts[j].node)} lie on one another`);
    }
  }
  return [...new Set(found)];
}"""


def complaints(tab):
    """What is wrong with the page that a tab shows, in words; an empty list if all of it can be read."""
    tab.evaluate(SETTLED)
    return tab.evaluate(CHECK, SMALLEST)
