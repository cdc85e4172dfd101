/* A llama.cpp library that fails on purpose: the real one, with a fault where TOY_FAULT says so.

   TOY_FAULT is "WHERE HOW WHEN". WHERE: init, load, prompt, batch, callback. HOW: a signal's
   number, "hang", "exit", "nonsense", "nan". WHEN: always, extra (weights are rearranged), flash
   (flash attention may be used). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "llama.h"

static char where[16], how[16], when[16];
static bool extra, flash, watched, faulty_logits;

static void *real(const char *name) {
    static void *library;
    if (!library) library = dlopen(TOY_REAL, RTLD_NOW | RTLD_LOCAL);
    return dlsym(library, name);
}

static bool meant(const char *place) {
    const char *fault = getenv("TOY_FAULT");
    if (!fault || sscanf(fault, "%15s %15s %15s", where, how, when) != 3) return false;
    if (strcmp(where, place)) return false;
    if (!strcmp(when, "extra")) return extra;
    if (!strcmp(when, "flash")) return flash;
    return true;
}

static void fail_at(const char *place) {
    if (!meant(place)) return;
    if (!strcmp(how, "hang")) for (;;) pause();
    if (!strcmp(how, "exit")) _exit(3);
    if (!strcmp(how, "nonsense") || !strcmp(how, "nan")) faulty_logits = true;
    else raise(atoi(how));
}

/* As of a processor on which rearranged weights pay. */
const char *llama_print_system_info(void) { return "CPU : NEON = 1 | "; }

void llama_backend_init(void) {
    fail_at("init");
    ((void (*)(void)) real("llama_backend_init"))();
}

struct llama_model *llama_model_load_from_file(const char *path, struct llama_model_params params) {
    extra = params.use_extra_bufts;
    fail_at("load");
    return ((struct llama_model *(*)(const char *, struct llama_model_params))
            real("llama_model_load_from_file"))(path, params);
}

struct llama_context *llama_init_from_model(struct llama_model *model,
                                            struct llama_context_params params) {
    flash = params.flash_attn_type != LLAMA_FLASH_ATTN_TYPE_DISABLED;
    watched = params.cb_eval != NULL;
    return ((struct llama_context *(*)(struct llama_model *, struct llama_context_params))
            real("llama_init_from_model"))(model, params);
}

int32_t llama_decode(struct llama_context *context, struct llama_batch batch) {
    bool several = false;
    for (int i = 1; i < batch.n_tokens; i++) several |= batch.seq_id[i][0] != batch.seq_id[0][0];
    fail_at(watched ? "callback" : several ? "batch" : "prompt");
    return ((int32_t (*)(struct llama_context *, struct llama_batch)) real("llama_decode"))(
        context, batch);
}

float *llama_get_logits_ith(struct llama_context *context, int32_t row) {
    float *logits = ((float *(*)(struct llama_context *, int32_t)) real("llama_get_logits_ith"))(
        context, row);
    if (faulty_logits && logits) {
        faulty_logits = false;
        for (int i = 0; i < 144; i++) {
            float kept = logits[i];
            logits[i] = strcmp(how, "nan") ? logits[287 - i] : NAN;
            logits[287 - i] = strcmp(how, "nan") ? kept : NAN;
        }
    }
    return logits;
}
