/*
 * The interface between a debugger and a library that shows it the message queues of an MPI process. The MPI Forum
 * describes it in "The MPI Message Queue Dump Interface" (MQD); names, values and the order of members are fixed there.
 * This is version 2, with 64-bit addresses. Debuggers load the library that MPIR_dll_name names, and call the functions
 * at the end. The library calls the debugger through tables of functions.
 *
 * mqs_get_comm_coll_state is an extension: the state of collectives. A debugger must expect that it is missing.
 */
#ifndef MPIVET_MQS_H
#define MPIVET_MQS_H

#include <stddef.h>

enum { MQS_INTERFACE_COMPATIBILITY = 2 };

typedef unsigned long mqs_taddr_t; /* an address in the process */
typedef long mqs_tword_t;          /* a word of the process */

/* What the library keeps. */
typedef struct _mqs_image_info mqs_image_info;
typedef struct _mqs_process_info mqs_process_info;
/* What the debugger keeps. */
typedef struct mqs_image_ mqs_image;
typedef struct mqs_process_ mqs_process;
typedef struct mqs_type_ mqs_type;

typedef struct {
    int short_size, int_size, long_size, long_long_size, pointer_size, bool_size, size_t_size;
} mqs_target_type_sizes;

/* Results. Both sides have more of their own, from mqs_first_user_code. */
enum { mqs_ok = 0, mqs_no_information, mqs_end_of_list, mqs_first_user_code = 100 };

typedef enum { mqs_lang_c = 'c', mqs_lang_cplus = 'C', mqs_lang_f77 = 'f', mqs_lang_f90 = 'F' } mqs_lang_code;

typedef enum { mqs_pending_sends, mqs_pending_receives, mqs_unexpected_messages } mqs_op_class;

enum { MQS_INVALID_PROCESS = -1 };

enum mqs_status { mqs_st_pending, mqs_st_matched, mqs_st_complete };

typedef struct {
    mqs_taddr_t unique_id;  /* the same on all processes of the communicator */
    mqs_tword_t local_rank; /* own rank */
    mqs_tword_t size;
    char name[64];
} mqs_communicator;

typedef struct {
    int status;                      /* enum mqs_status */
    mqs_tword_t desired_local_rank;  /* of the other process in the communicator; -1: any source */
    mqs_tword_t desired_global_rank; /* in MPI_COMM_WORLD */
    int tag_wild;                    /* not 0: any tag */
    mqs_tword_t desired_tag;
    mqs_tword_t desired_length;      /* of the buffer, in bytes */
    int system_buffer;               /* not 0: the buffer belongs to MPI */
    mqs_taddr_t buffer;
    /* Only of sends, and of messages that are matched. */
    mqs_tword_t actual_local_rank, actual_global_rank, actual_tag, actual_length;
    char extra_text[5][64];          /* lines for people; an empty one ends them */
} mqs_pending_operation;

/* The functions of the debugger. */
typedef void (*mqs_put_image_info_ft)(mqs_image *, mqs_image_info *);
typedef mqs_image_info *(*mqs_get_image_info_ft)(mqs_image *);
typedef mqs_image *(*mqs_get_image_ft)(mqs_process *);
typedef int (*mqs_get_global_rank_ft)(mqs_process *);
typedef int (*mqs_find_function_ft)(mqs_image *, char *, mqs_lang_code, mqs_taddr_t *);
typedef int (*mqs_find_symbol_ft)(mqs_image *, char *, mqs_taddr_t *);
typedef void (*mqs_put_process_info_ft)(mqs_process *, mqs_process_info *);
typedef mqs_process_info *(*mqs_get_process_info_ft)(mqs_process *);
typedef void *(*mqs_malloc_ft)(size_t);
typedef void (*mqs_free_ft)(void *);
typedef mqs_type *(*mqs_find_type_ft)(mqs_image *, char *, mqs_lang_code);
typedef int (*mqs_field_offset_ft)(mqs_type *, char *);
typedef int (*mqs_sizeof_ft)(mqs_type *);
typedef void (*mqs_get_type_sizes_ft)(mqs_process *, mqs_target_type_sizes *);
typedef int (*mqs_fetch_data_ft)(mqs_process *, mqs_taddr_t, int, void *);
typedef void (*mqs_target_to_host_ft)(mqs_process *, const void *, void *, int);
typedef void (*mqs_dprints_ft)(const char *);
typedef char *(*mqs_errorstring_ft)(int);

typedef struct mqs_basic_callbacks {
    mqs_malloc_ft mqs_malloc_fp;
    mqs_free_ft mqs_free_fp;
    mqs_dprints_ft mqs_dprints_fp;
    mqs_errorstring_ft mqs_errorstring_fp;
    mqs_put_image_info_ft mqs_put_image_info_fp;
    mqs_get_image_info_ft mqs_get_image_info_fp;
    mqs_put_process_info_ft mqs_put_process_info_fp;
    mqs_get_process_info_ft mqs_get_process_info_fp;
} mqs_basic_callbacks;

typedef struct mqs_image_callbacks {
    mqs_get_type_sizes_ft mqs_get_type_sizes_fp;
    mqs_find_function_ft mqs_find_function_fp;
    mqs_find_symbol_ft mqs_find_symbol_fp;
    mqs_find_type_ft mqs_find_type_fp;
    mqs_field_offset_ft mqs_field_offset_fp;
    mqs_sizeof_ft mqs_sizeof_fp;
} mqs_image_callbacks;

typedef struct mqs_process_callbacks {
    mqs_get_global_rank_ft mqs_get_global_rank_fp;
    mqs_get_image_ft mqs_get_image_fp;
    mqs_fetch_data_ft mqs_fetch_data_fp;
    mqs_target_to_host_ft mqs_target_to_host_fp;
} mqs_process_callbacks;

/* The functions of the library. */
#define MQS_EXPORT __attribute__((visibility("default")))

MQS_EXPORT void mqs_setup_basic_callbacks(const mqs_basic_callbacks *);
MQS_EXPORT char *mqs_version_string(void);
MQS_EXPORT int mqs_version_compatibility(void);
MQS_EXPORT int mqs_dll_taddr_width(void);
MQS_EXPORT char *mqs_dll_error_string(int);

MQS_EXPORT int mqs_setup_image(mqs_image *, const mqs_image_callbacks *);
MQS_EXPORT int mqs_image_has_queues(mqs_image *, char **);
MQS_EXPORT void mqs_destroy_image_info(mqs_image_info *);

MQS_EXPORT int mqs_setup_process(mqs_process *, const mqs_process_callbacks *);
MQS_EXPORT int mqs_process_has_queues(mqs_process *, char **);
MQS_EXPORT void mqs_destroy_process_info(mqs_process_info *);

MQS_EXPORT int mqs_update_communicator_list(mqs_process *);
MQS_EXPORT int mqs_setup_communicator_iterator(mqs_process *);
MQS_EXPORT int mqs_get_communicator(mqs_process *, mqs_communicator *);
MQS_EXPORT int mqs_get_comm_group(mqs_process *, int *);
MQS_EXPORT int mqs_next_communicator(mqs_process *);
MQS_EXPORT int mqs_setup_operation_iterator(mqs_process *, int mqs_op_class);
MQS_EXPORT int mqs_next_operation(mqs_process *, mqs_pending_operation *);

/* Extensions. */

/* The rank of the process in MPI_COMM_WORLD, MQS_INVALID_PROCESS if it is not known. padb asks for it. */
MQS_EXPORT int mqs_get_global_rank(mqs_process *);

/* Gives the number of calls of a collective on the current communicator, and 1 if the process takes part in one now,
 * else 0. mqs_comm_class is an enum mqs_comm_class. */
MQS_EXPORT int mqs_get_comm_coll_state(mqs_process *, int mqs_comm_class, int *count, int *active);

#include "classes.h"

#endif
