"use strict";
const told = JSON.parse(document.getElementById("captions").textContent);
const slider = document.getElementById("slider"), text = document.getElementById("told");
const play = document.getElementById("play");
const marks = [...document.querySelectorAll("[data-from]")], rows = [...document.querySelectorAll("tr[data-step]")];
let timer = 0;
function show(step) {
  slider.value = step;
  slider.setAttribute("aria-valuetext", told[step]);
  text.textContent = `Step ${step} of ${told.length - 1}: ${told[step]}`;
  for (const mark of marks) {
    const seen = step >= +mark.dataset.from && step <= +(mark.dataset.to ?? Infinity);
    mark.style.display = seen ? "inline" : "none";
  }
  for (const row of rows) {
    row.classList.toggle("now", +row.dataset.step === step);
    row.classList.toggle("later", +row.dataset.step > step);
  }
}
function stop() { clearInterval(timer); timer = 0; play.textContent = "Play"; }
function go(by) { show(Math.min(told.length - 1, Math.max(0, +slider.value + by))); }
slider.addEventListener("input", () => { stop(); show(+slider.value); });
document.getElementById("back").addEventListener("click", () => { stop(); go(-1); });
document.getElementById("on").addEventListener("click", () => { stop(); go(1); });
play.addEventListener("click", () => {
  if (timer) { stop(); return; }
  if (+slider.value === told.length - 1) show(0);
  play.textContent = "Pause";
  timer = setInterval(() => { go(1); if (+slider.value === told.length - 1) stop(); }, 1100);
});
document.addEventListener("keydown", event => {
  if (event.target === slider || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "ArrowRight") { stop(); go(1); }
  if (event.key === "ArrowLeft") { stop(); go(-1); }
});
document.getElementById("steps").hidden = false;
show(0);
