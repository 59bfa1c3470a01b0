"use strict";
const parts = [...document.querySelectorAll("section.part")].map(part => {
  const find = name => part.querySelector(`.${name}`);
  const told = JSON.parse(find("captions").textContent), slider = find("slider"), play = find("play");
  const marks = [...part.querySelectorAll("[data-from]")], rows = [...part.querySelectorAll("tr[data-step]")];
  const boxes = part.querySelectorAll(".long");
  let timer = 0;
  function show(step) {
    slider.value = step;
    slider.setAttribute("aria-valuetext", told[step]);
    find("told").textContent = `Step ${step} of ${told.length - 1}: ${told[step]}`;
    for (const mark of marks) {
      const seen = step >= +mark.dataset.from && step <= +(mark.dataset.to ?? Infinity);
      mark.style.display = seen ? mark.tagName === "DIV" ? "block" : "inline" : "none";
    }
    for (const row of rows) {
      row.classList.toggle("now", +row.dataset.step === step);
      row.classList.toggle("later", +row.dataset.step > step);
    }
    for (const box of boxes) {
      const now = box.querySelector("tr.now");
      if (now) box.scrollTop = now.offsetTop - now.offsetHeight * 2;
    }
  }
  function stop() { clearInterval(timer); timer = 0; play.textContent = "Play"; }
  function go(by) { show(Math.min(told.length - 1, Math.max(0, +slider.value + by))); }
  slider.addEventListener("input", () => { stop(); show(+slider.value); });
  find("back").addEventListener("click", () => { stop(); go(-1); });
  find("on").addEventListener("click", () => { stop(); go(1); });
  play.addEventListener("click", () => {
    if (timer) { stop(); return; }
    if (+slider.value === told.length - 1) show(0);
    play.textContent = "Pause";
    timer = setInterval(() => { go(1); if (+slider.value === told.length - 1) stop(); }, 1100);
  });
  find("steps").hidden = false;
  show(+part.dataset.start);
  return { slider, move: by => { stop(); go(by); } };
});
document.addEventListener("keydown", event => {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
  if (parts.some(part => part.slider === event.target)) return;
  for (const part of parts) part.move(by);
});
